/**
 * The demo's payments server behind gates that a test opens: while the file `$COUNTERSIGN_GATE/hold-<tool>` exists, a call
 * to that tool waits, before it has done anything. Each call that begins and each refund that is paid is one line of
 * `$COUNTERSIGN_GATE/calls.log`, written by this process: an outside count of the effects.
 */
import { appendFileSync, existsSync, mkdirSync, watch } from 'node:fs'
import { join } from 'node:path'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createPayments } from '#server/demo/payments-tools.ts'

const gate = process.env.COUNTERSIGN_GATE
if (gate === undefined) throw new Error('COUNTERSIGN_GATE must name a folder.')
mkdirSync(gate, { recursive: true })
const calls = join(gate, 'calls.log')

const note = (event: string, tool: string, key: string) => appendFileSync(calls, `${event} ${tool} ${key}\n`)

/** Resolves when the tool's hold file is gone. */
function opened(tool: string): Promise<void> {
  const hold = join(gate ?? '', `hold-${tool}`)
  if (!existsSync(hold)) return Promise.resolve()
  return new Promise((resolve) => {
    const watcher = watch(gate ?? '', () => {
      if (existsSync(hold)) return
      watcher.close()
      resolve()
    })
    // Removed between the check and the watch: nothing more would be reported.
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
process.on('SIGINT', () => undefined)
await server.connect(new StdioServerTransport())
