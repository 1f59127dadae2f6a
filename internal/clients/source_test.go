package clients_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/clients"
)

const npx = "npx -y @modelcontextprotocol/server-memory"

// Wherever a command line says that the official server's file is: it is found,
// or it is said that there may be one elsewhere.
func TestOfficialMemoryOfCommandLines(t *testing.T) {
	const cached = "/h/.npm/_npx/1/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl"
	system := machine("linux", "/h", nil, "/host/dir/mem.json", "/host/dir/memory.jsonl", "/host/empty/other", "/x/mem.json", "/x/my notes.json", "/h/m.json", cached)
	for _, c := range []struct {
		words  []string
		env    map[string]string
		path   string
		sure   bool // whether nothing can be lost
		reason string
		remedy string
	}{
		{words: docker("-v /host/dir:/data -e MEMORY_FILE_PATH=/data/mem.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("-v /host/dir:/data:rw -eMEMORY_FILE_PATH=/data/mem.json mcp/memory:latest"), path: "/host/dir/mem.json", sure: true},
		{words: docker("-v=/host/dir/:/data/ --env=MEMORY_FILE_PATH=/data/mem.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("--volume /host/dir:/data --env MEMORY_FILE_PATH=/data/mem.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("--volume=/host/dir/mem.json:/data/m.json -e=MEMORY_FILE_PATH=/data/m.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("--mount type=bind,source=/host/dir,target=/data -e MEMORY_FILE_PATH=/data/mem.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("--mount=type=bind,src=/host/dir,dst=/data -e MEMORY_FILE_PATH mcp/memory"), env: map[string]string{"MEMORY_FILE_PATH": "/data/mem.json"}, path: "/host/dir/mem.json", sure: true},
		{words: docker("-iv /host/dir:/data -te MEMORY_FILE_PATH=/data/mem.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("-v ${env:HOME}:/data -e MEMORY_FILE_PATH=/data/m.json mcp/memory"), path: "/h/m.json", sure: true},
		{words: docker("-v named:/ -v /host/dir:/data -e MEMORY_FILE_PATH=/data/mem.json mcp/memory"), path: "/host/dir/mem.json", sure: true},
		{words: docker("-v /host/dir:/app/dist mcp/memory"), path: "/host/dir/memory.jsonl", sure: true},
		{words: docker("-v /host/dir:/data -e MEMORY_FILE_PATH=/data/mem.json node:22 " + npx), path: "/host/dir/mem.json", sure: true},
		{words: []string{"sh", "-c", "exec docker run -i --rm -v /host/dir:/data -e MEMORY_FILE_PATH=/data/mem.json mcp/memory"}, path: "/host/dir/mem.json", sure: true},
		{words: docker("-v /host/empty:/app/dist mcp/memory"), sure: true, reason: "stored nothing yet in /host/empty/memory.jsonl"},

		{words: docker("-v notes:/app/dist mcp/memory"), reason: "in the volume notes of docker, as /app/dist/memory.jsonl", remedy: "docker run --rm -v notes:/app/dist --entrypoint cat mcp/memory /app/dist/memory.jsonl > memory.jsonl"},
		{words: docker("--mount type=volume,src=notes,dst=/data -e MEMORY_FILE_PATH=/data/m.json mcp/memory"), reason: "in the volume notes", remedy: "cat mcp/memory /data/m.json >"},
		{words: docker("mcp/memory"), reason: "removed with the container (--rm)", remedy: "docker cp CONTAINER:/app/dist/memory.jsonl"},
		{words: []string{"podman", "run", "-i", "mcp/memory"}, reason: "inside a container, as /app/dist/memory.jsonl", remedy: "podman cp"},
		{words: docker("-v /host/dir:/data -e MEMORY_FILE_PATH=/database/mem.json mcp/memory"), reason: "inside a container, as /database/mem.json"},
		// What the client sets for docker is no matter of the container.
		{words: docker("mcp/memory"), env: map[string]string{"MEMORY_FILE_PATH": "/x/mem.json"}, reason: "inside a container"},
		{words: docker("-v /gone:/data -e MEMORY_FILE_PATH=/data/m.json mcp/memory"), reason: "in /gone, mounted as /data, which was not found here"},
		{words: docker("-v ./dir:/app/dist mcp/memory"), reason: "in ./dir, mounted as /app/dist"},
		{words: docker("-v /host/dir:/data node:22 " + npx), reason: "at a place that its entry does not tell"},

		{words: strings.Fields("env MEMORY_FILE_PATH=/x/mem.json " + npx), path: "/x/mem.json", sure: true},
		{words: strings.Fields("/usr/bin/env -i -u A B=c MEMORY_FILE_PATH=/x/mem.json " + npx), path: "/x/mem.json", sure: true},
		{words: []string{"env", "-S", "MEMORY_FILE_PATH=/x/mem.json " + npx}, path: "/x/mem.json", sure: true},
		{words: strings.Fields("npx cross-env MEMORY_FILE_PATH=/x/mem.json " + npx), path: "/x/mem.json", sure: true},
		{words: []string{"sh", "-c", "MEMORY_FILE_PATH=/x/mem.json " + npx}, path: "/x/mem.json", sure: true},
		{words: []string{"/bin/bash", "-lc", "cd /srv && MEMORY_FILE_PATH='/x/mem.json' exec " + npx + " 2>/dev/null"}, path: "/x/mem.json", sure: true},
		{words: []string{"zsh", "-c", "export MEMORY_FILE_PATH=\"$HOME/m.json\"; # mine\n" + npx}, path: "/h/m.json", sure: true},
		{words: []string{"bash", "-c", "env -u MEMORY_FILE_PATH " + npx}, env: map[string]string{"MEMORY_FILE_PATH": "/x/mem.json"}, path: cached, sure: true},
		{words: []string{"bash", "-c", "sh -c \"MEMORY_FILE_PATH=/x/mem.json " + npx + "\""}, path: "/x/mem.json", sure: true},
		{words: []string{"cmd", "/c", "set MEMORY_FILE_PATH=/x/mem.json&& " + npx}, path: "/x/mem.json", sure: true},
		{words: []string{"cmd", "/c", "set MEMORY_FILE_PATH=/x/my notes.json&& " + npx}, path: "/x/my notes.json", sure: true},
		{words: strings.Fields("cmd.exe /d /c " + npx), path: cached, sure: true},
		{words: strings.Fields(npx), path: cached, sure: true},
		{words: strings.Fields(npx), env: map[string]string{"MEMORY_FILE_PATH": "/x/none.json"}, sure: true, reason: "stored nothing yet in /x/none.json"},

		{words: strings.Fields(npx), env: map[string]string{"MEMORY_FILE_PATH": "~/none.json"}, reason: "stored nothing yet in /h/none.json"},
		{words: []string{"sh", "-c", "D=/x; MEMORY_FILE_PATH=$D/mem.json " + npx}, reason: "which only the client can resolve"},
		{words: []string{"sh", "-c", "MEMORY_FILE_PATH=/x/mem.json; " + npx}, reason: "by a script"}, // it is not exported
		{words: []string{"sh", "-c", ". ~/.profile; " + npx}, reason: "by a script"},
		{words: []string{"sh", "-c", "MEMORY_FILE_PATH=`pwd`/mem.json " + npx}, reason: "by a script"},
		{words: []string{"sh", "-c", "MEMORY_FILE_PATH=$(pwd)/mem.json " + npx}, reason: "by a script"},
		{words: []string{"powershell", "-Command", "$env:MEMORY_FILE_PATH='/x/mem.json'; " + npx}, reason: "by a script"},
		{words: strings.Fields("wsl " + npx), reason: "by a script"},
		{words: []string{"sh", "-c", "cd /srv && " + npx}, reason: "which its entry does not tell"},
		{words: strings.Fields("bunx @modelcontextprotocol/server-memory"), reason: "which its entry does not tell"},
		{words: strings.Fields(npx), env: map[string]string{"npm_config_cache": "/cache"}, reason: "in another place than /cache/_npx"},
		{words: strings.Fields("node src/memory/dist/index.js"), reason: "its folder src/memory/dist was not found"},
	} {
		server := clients.Server{Command: c.words[0], Args: c.words[1:], Env: c.env}
		if kind := server.Kind("/this/program"); kind != clients.Official {
			t.Errorf("%q: kind %d", c.words, kind)
		}
		got := server.Memory(system, clients.Official)
		if got.Path != c.path || got.Elsewhere == c.sure || !strings.Contains(got.Reason, c.reason) || !strings.Contains(got.Remedy, c.remedy) {
			t.Errorf("%q: %+v", c.words, got)
		}
		if (got.Path == "") != (got.Reason != "") {
			t.Errorf("%q has a path and a reason, or neither: %+v", c.words, got)
		}
	}
}

func docker(rest string) []string { return strings.Fields("docker run -i --rm " + rest) }

func TestOfficialMemoryOfWindowsContainers(t *testing.T) {
	system := machine("windows", `C:\h`, nil, `C:\notes\mem.json`)
	server := clients.Server{Command: "docker", Args: strings.Fields(`run -i -v C:\notes:/data -e MEMORY_FILE_PATH=/data/mem.json mcp/memory`)}
	if got := server.Memory(system, clients.Official); got.Path != `C:\notes\mem.json` {
		t.Errorf("%+v", got)
	}
}
