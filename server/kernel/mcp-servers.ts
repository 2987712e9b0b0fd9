import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { ConfigError } from './config.ts'

/** The operator's stdio tool servers (MCP_SERVERS). Commands come only from this file, never from a manifest. */
const McpServersFile = z.strictObject({
  mcpServers: z.record(
    z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/),
    z.strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      env: z.record(z.string(), z.string()).default({}),
      /** External ids of the tenants that may use this server. */
      tenants: z.array(z.string()).default([]),
    }),
  ),
})

/** `demo`: for all demo tenants, in addition to `tenants`; not in an operator's file. */
export type McpServer = { command: string; args: string[]; env: Record<string, string>; tenants: string[]; demo?: true }
export type McpServers = Readonly<Record<string, McpServer>>

/** Throws ConfigError, which names the file and the problem in it. */
export async function loadMcpServers(path: string): Promise<McpServers> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw new ConfigError(`MCP_SERVERS must be the path of a JSON file; ${path} can't be read.`, { cause })
  }
  try {
    return McpServersFile.parse(JSON.parse(text)).mcpServers
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'it is not JSON.'
    throw new ConfigError(
      `MCP_SERVERS: ${path} must contain {"mcpServers": {"<name>": {command, args, env, tenants}}}: ${why}`,
      { cause },
    )
  }
}
