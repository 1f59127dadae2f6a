// command.mjs FOLDER: prints, each word ended by NUL, the command line with which clients start the bundle unpacked in FOLDER when
// its user changes no setting. It is resolved by the code that clients use.
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { getMcpConfigForManifest } from "../../tools/mcpb/node_modules/@anthropic-ai/mcpb/dist/shared/config.js";

const folder = resolve(process.argv[2]);
const config = await getMcpConfigForManifest({
  manifest: JSON.parse(readFileSync(`${folder}/manifest.json`, "utf8")),
  extensionPath: folder,
  systemDirs: { HOME: homedir() },
  userConfig: {},
  pathSeparator: "/",
});
const environment = Object.entries(config.env ?? {}).map(([name, value]) => `${name}=${value}`);
process.stdout.write(["env", ...environment, config.command, ...config.args].map((word) => word + "\0").join(""));
