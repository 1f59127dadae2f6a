# syntax=docker/dockerfile:1

# Two stages: Debian 12 builds, and distroless/cc (glibc 2.36, libstdc++, libgcc; no shell) runs. See docs/packaging.md.
#
#   docker build -t mcp-memory .
#   docker run --rm -i -v mcp-memory:/data mcp-memory                  # MCP on standard input and output
#   docker run --rm -v mcp-memory:/data mcp-memory model download      # the model for search by meaning, once
#   docker run -d -p 127.0.0.1:8080:8080 -v mcp-memory:/data -e MCP_MEMORY_HTTP_TOKEN mcp-memory serve --http 0.0.0.0:8080
#
# Over HTTP the token is a must, as others can reach 0.0.0.0; -e without a value takes it from the shell's environment.

FROM golang:1.26-bookworm AS build
RUN apt-get update && \
    apt-get install -y --no-install-recommends python3 python3-venv && \
    rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN packaging/build.sh "$(go env GOOS)/$(go env GOARCH)" /out/mcp-memory && \
    install -m 644 LICENSE /out/mcp-memory/ && \
    install -d -m 700 /out/data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /out/mcp-memory/ /opt/mcp-memory/
COPY --from=build --chown=65532:65532 /out/data/ /data/
ENV HOME=/data \
    MCP_MEMORY_DB=/data/memory.db \
    MCP_MEMORY_MODEL_DIR=/data/models
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
LABEL org.opencontainers.image.title="mcp-memory" \
      org.opencontainers.image.description="Long-term memory for AI agents, over the Model Context Protocol" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="https://github.com/OWNER/mcp-memory" \
      io.modelcontextprotocol.server.name="io.github.OWNER/mcp-memory"
ENTRYPOINT ["/opt/mcp-memory/mcp-memory"]
