// Rival of case 6: a workflow of DBOS with one step, which calls the tool server of the demo. FOLDER contains DBOS, and DATABASE_URL is its
// system database. A request runs workflows from WIDTH callers for `ms` milliseconds, and is answered with their number.
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { connectClient } from '#server/agents/mcp-client.ts'
import { closedLoop } from '../load.ts'

/** What is used of it: the package is not installed where this file is compiled. */
type Dbos = {
  setConfig(config: { name: string; systemDatabaseUrl: string | undefined; logLevel: string }): void
  registerWorkflow<I, O>(run: (input: I) => Promise<O>, config: { name: string }): (input: I) => Promise<O>
  runStep<O>(run: () => Promise<O>, config: { name: string }): Promise<O>
  launch(): Promise<void>
}

const { DBOS } = createRequire(join(process.env.FOLDER ?? '', 'package.json'))('@dbos-inc/dbos-sdk') as { DBOS: Dbos }
const width = Number(process.env.WIDTH)

const server = join(import.meta.dirname, '../../server/demo/payments-process.ts')
const { client: payments } = await connectClient(
  new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'ignore' }),
)

const lookUp = DBOS.registerWorkflow(
  ({ orderId }: { orderId: string }) =>
    DBOS.runStep(() => payments.callTool({ name: 'lookup_order', arguments: { id: orderId } }), { name: 'order' }),
  { name: 'order-desk' },
)
DBOS.setConfig({ name: 'order-desk', systemDatabaseUrl: process.env.DATABASE_URL, logLevel: 'error' })
await DBOS.launch()

async function once(): Promise<void> {
  const result = await lookUp({ orderId: 'A-1002' })
  if (result.isError === true) throw new Error(`The tool failed: ${JSON.stringify(result.content)}`)
}

const load = createServer((req, res) => {
  const ms = Number(new URL(req.url ?? '', 'http://localhost').searchParams.get('ms'))
  closedLoop(width, performance.now() + ms, once).then(
    (done) => res.end(String(done)),
    (error: unknown) => res.writeHead(500).end(String(error)),
  )
})
load.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(load.address() as AddressInfo).port}/\n`)
})
