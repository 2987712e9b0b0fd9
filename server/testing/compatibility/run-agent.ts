import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SdkAgent } from './sdk-agents.ts'

const run = promisify(execFile)

/** Runs an agent of `sdks/` in a separate process that sends to a receiver of telemetry. Returns the id of its trace. */
export async function runAgent(
  { command: [script = '', ...args], name }: SdkAgent,
  receiver: { url: string; token: string; modelUrl: string },
): Promise<string> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'sdks', script), ...args], {
    env: {
      NODE_ENV: 'test',
      PATH: process.env.PATH ?? '',
      // An SDK that describes its process would write this machine's paths into a sample.
      OTEL_NODE_RESOURCE_DETECTORS: 'none',
      TELEMETRY_URL: receiver.url,
      TELEMETRY_TOKEN: receiver.token,
      MODEL_URL: receiver.modelUrl,
    },
    timeout: 120_000,
  })
  const traceId = /^[0-9a-f]{32}$/m.exec(stdout)?.[0]
  if (traceId === undefined) throw new Error(`${name} printed no trace id: ${stdout}`)
  return traceId
}

/** Starts the model that the agents call. It answers every chat completion with one joke, unstreamed. */
export async function startChatModel(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1_795_000_000,
          model: 'small-1-2026',
          choices: [
            { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Pavel walks into a bar' } },
          ],
          usage: { prompt_tokens: 9, completion_tokens: 21, total_tokens: 30 },
        }),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
