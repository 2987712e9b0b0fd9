/**
 * The demo's payments server behind gates that a test opens. While the file `$COUNTERSIGN_GATE/hold-<tool>` exists, a call
 * to that tool waits before it has any effect. This process writes a line to `$COUNTERSIGN_GATE/calls.log` for each call
 * that begins and each refund that is paid, so effects are counted outside the server, and
 * to `got.log` the SHA-256 of the arguments that each call got, as JCS.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { canonicalJson } from '#lib/jcs.ts'
import { createPayments } from '#server/demo/payments-tools.ts'

const gate = process.env.COUNTERSIGN_GATE
if (gate === undefined) throw new Error('COUNTERSIGN_GATE must name a folder.')
mkdirSync(gate, { recursive: true })
const calls = join(gate, 'calls.log')

const note = (event: string, tool: string, key: string) => appendFileSync(calls, `${event} ${tool} ${key}\n`)

/** Resolves when the tool's hold file is removed. */
function opened(tool: string): Promise<void> {
  const hold = join(gate ?? '', `hold-${tool}`)
  if (!existsSync(hold)) return Promise.resolve()
  return new Promise((resolve) => {
    const watcher = watch(gate ?? '', () => {
      if (existsSync(hold)) return
      watcher.close()
      resolve()
    })
    // The file may have been removed between the check and the watch, which would not report it.
    if (!existsSync(hold)) {
      watcher.close()
      resolve()
    }
  })
}

const server = createPayments({
  before: async (tool, key) => {
    note('called', tool, key)
    await opened(tool)
  },
  paid: (key) => note('paid', 'issue_refund', key),
})
// The transport reads the same bytes.
createInterface({ input: process.stdin }).on('line', (line) => {
  const { method, params } = JSON.parse(line)
  if (method !== 'tools/call') return
  const got = createHash('sha256')
    .update(canonicalJson(params.arguments ?? {}))
    .digest('hex')
  appendFileSync(join(gate, 'got.log'), `${got} ${params.name} ${params._meta?.['countersign/idempotencyKey']}\n`)
})
process.on('SIGINT', () => undefined)
await server.connect(new StdioServerTransport())
