# A template: `make release-files OWNER=name` writes the formula, with owner and checksums, to dist/.
class McpMemory < Formula
  desc "Long-term memory for AI agents, over the Model Context Protocol"
  homepage "https://github.com/OWNER/mcp-memory"
  version "0.1.0"
  license "MIT"

  on_macos do
    # There is no ONNX Runtime for Macs with Intel's processors.
    depends_on arch: :arm64
    url "https://github.com/OWNER/mcp-memory/releases/download/v#{version}/mcp-memory_#{version}_darwin_arm64.tar.gz"
    sha256 "SHA256_darwin_arm64"
  end

  on_linux do
    on_intel do
      url "https://github.com/OWNER/mcp-memory/releases/download/v#{version}/mcp-memory_#{version}_linux_amd64.tar.gz"
      sha256 "SHA256_linux_amd64"
    end
    on_arm do
      url "https://github.com/OWNER/mcp-memory/releases/download/v#{version}/mcp-memory_#{version}_linux_arm64.tar.gz"
      sha256 "SHA256_linux_arm64"
    end
  end

  def install
    # ONNX Runtime is searched for beside the program.
    libexec.install Dir["mcp-memory", "libonnxruntime*"]
    bin.install_symlink libexec/"mcp-memory"
    bash_completion.install "completions/mcp-memory.bash" => "mcp-memory"
    zsh_completion.install "completions/_mcp-memory"
    fish_completion.install "completions/mcp-memory.fish"
    doc.install "README.md", "CHANGELOG.md", "third-party-licences.txt", Dir["onnxruntime-*"]
  end

  def caveats
    <<~TEXT
      Search by meaning needs a model of 470 MB:
        mcp-memory model download
      To set up an AI client:
        mcp-memory install
    TEXT
  end

  test do
    request = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":' \
              '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"brew","version":"1"}}}'
    assert_match '"name":"memory"', pipe_output("#{bin}/mcp-memory --db #{testpath}/memory.db", "#{request}\n", 0)
  end
end
