/**
 * The demo's MCP tool server: an order book and a refund ledger in one file of its own (COUNTERSIGN_TOOL_DATA).
 * Refunds are idempotent by the key that the control plane sends: a repeated call gives the first refund again.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

type Refund = { refundId: string; orderId: string; amount: string; currency: string; key: string; at: string }

const orders: Record<
  string,
  {
    id: string
    amount: string
    currency: string
    status: string
    customer: { id: string; name: string; email: string }
  }
> = {
  'A-1001': order('A-1001', '4200.00', 'C-20418', 'Elif Aydin', 'elif.aydin@mail.example'),
  'A-1002': order('A-1002', '182.40', 'C-19377', 'Pavel Novak', 'pavel.novak@mail.example'),
  'A-1003': order('A-1003', '59.90', 'C-30112', 'Grace Okafor', 'grace.okafor@mail.example'),
}

function order(id: string, amount: string, customerId: string, name: string, email: string) {
  return { id, amount, currency: 'EUR', status: 'delivered', customer: { id: customerId, name, email } }
}

const folder = process.env.COUNTERSIGN_TOOL_DATA ?? '.data/tools/payments'
mkdirSync(folder, { recursive: true, mode: 0o700 })
const ledger = join(folder, 'refunds.json')

function readRefunds(): Refund[] {
  try {
    return JSON.parse(readFileSync(ledger, 'utf8')) as Refund[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Written beside and renamed, so that a kill in the middle leaves the old ledger. */
function writeRefunds(refunds: Refund[]): void {
  const temporary = `${ledger}.${process.pid}`
  const file = openSync(temporary, 'w', 0o600)
  writeFileSync(file, JSON.stringify(refunds, null, 2))
  fsyncSync(file)
  closeSync(file)
  renameSync(temporary, ledger)
}

const answer = (value: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: value,
})
const failure = (message: string) => ({ content: [{ type: 'text' as const, text: message }], isError: true })

const server = new McpServer({ name: 'payments', version: '1.0.0' })

server.registerTool(
  'lookup_order',
  {
    title: 'Look up order',
    description: 'Finds an order by its number.',
    inputSchema: z.object({ id: z.string() }),
    annotations: { readOnlyHint: true },
  },
  async ({ id }) => {
    const found = Object.hasOwn(orders, id) ? orders[id] : undefined
    return found === undefined ? failure(`There is no order ${id}.`) : answer(found)
  },
)

server.registerTool(
  'issue_refund',
  {
    title: 'Issue refund',
    description: 'Pays the amount of an order back to its customer. It can not be taken back.',
    inputSchema: z.object({ id: z.string(), amount: z.string().optional(), currency: z.string().optional() }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  },
  async ({ id, amount, currency }, extra) => {
    const found = Object.hasOwn(orders, id) ? orders[id] : undefined
    if (found === undefined) return failure(`There is no order ${id}.`)
    const key = String(extra.mcpReq._meta?.['countersign/idempotencyKey'] ?? randomUUID())
    const refunds = readRefunds()
    const earlier = refunds.find((refund) => refund.key === key)
    if (earlier !== undefined)
      return answer({ refundId: earlier.refundId, orderId: id, amount: earlier.amount, currency: earlier.currency })
    const refund: Refund = {
      refundId: `R-${refunds.length + 1}`,
      orderId: id,
      amount: amount ?? found.amount,
      currency: currency ?? found.currency,
      key,
      at: new Date().toISOString(),
    }
    writeRefunds([...refunds, refund])
    return answer({ refundId: refund.refundId, orderId: id, amount: refund.amount, currency: refund.currency })
  },
)

// Ctrl-C reaches the whole process group: a call in progress is finished, and the closed pipe ends this process.
process.on('SIGINT', () => undefined)
await server.connect(new StdioServerTransport())
