import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

type Order = {
  id: string
  amount: string
  currency: string
  status: string
  customer: { id: string; name: string; email: string }
}
type Refund = { refundId: string; orderId: string; amount: string; currency: string; key: string; at: string }

const orders: readonly Order[] = [
  order('A-1001', '4200.00', 'C-20418', 'Elif Aydin', 'elif.aydin@mail.example'),
  order('A-1002', '182.40', 'C-19377', 'Pavel Novak', 'pavel.novak@mail.example'),
  order('A-1003', '59.90', 'C-30112', 'Grace Okafor', 'grace.okafor@mail.example'),
  // Above what the refund assistant pays without a manager's confirmation.
  order('A-1004', '6300.00', 'C-11820', 'Noor Haddad', 'noor.haddad@mail.example'),
]

function order(id: string, amount: string, customerId: string, name: string, email: string): Order {
  return { id, amount, currency: 'EUR', status: 'delivered', customer: { id: customerId, name, email } }
}

const folder = process.env.COUNTERSIGN_TOOL_DATA ?? '.data/tools/payments'
const ledger = join(folder, 'refunds.json')

function readRefunds(): Refund[] {
  try {
    return JSON.parse(readFileSync(ledger, 'utf8')) as Refund[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Writes a second file and renames it, so that a kill in the middle leaves the old ledger. */
function writeRefunds(refunds: Refund[]): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
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

const keyOf = (meta: Record<string, unknown> | undefined): string =>
  String(meta?.['countersign/idempotencyKey'] ?? randomUUID())

/** Called at the edges of a tool call; the demo does nothing there. */
export type PaymentsHooks = { before?(tool: string, key: string): Promise<void>; paid?(key: string): void }

/**
 * The demo's MCP tool server: an order book, and a refund ledger in a file of its own (COUNTERSIGN_TOOL_DATA). Refunds are
 * idempotent by the key that the control plane sends: a repeated call returns the first refund again.
 */
export function createPayments(hooks: PaymentsHooks = {}): McpServer {
  const server = new McpServer({ name: 'payments', version: '1.0.0' })
  server.registerTool(
    'lookup_order',
    {
      title: 'Look up order',
      description: 'Finds an order by its number.',
      inputSchema: z.object({ id: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ id }, extra) => {
      await hooks.before?.('lookup_order', keyOf(extra.mcpReq._meta))
      const found = orders.find((candidate) => candidate.id === id)
      return found === undefined ? failure(`Order ${id} was not found.`) : answer(found)
    },
  )
  server.registerTool(
    'issue_refund',
    {
      title: 'Issue refund',
      description: 'Refunds an order to its customer. A refund cannot be undone.',
      inputSchema: z.object({
        id: z.string(),
        amount: z.string().meta({ format: 'decimal' }).optional(),
        currency: z.string().optional(),
      }),
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
    },
    async ({ id, amount, currency }, extra) => {
      const key = keyOf(extra.mcpReq._meta)
      await hooks.before?.('issue_refund', key)
      const found = orders.find((candidate) => candidate.id === id)
      if (found === undefined) return failure(`Order ${id} was not found.`)
      const refunds = readRefunds()
      const earlier = refunds.find((refund) => refund.key === key)
      if (earlier !== undefined) return receipt(earlier)
      const refund: Refund = {
        refundId: `R-${refunds.length + 1}`,
        orderId: id,
        amount: amount ?? found.amount,
        currency: currency ?? found.currency,
        key,
        at: new Date().toISOString(),
      }
      writeRefunds([...refunds, refund])
      hooks.paid?.(key)
      return receipt(refund)
    },
  )
  return server
}

const receipt = ({ refundId, orderId, amount, currency }: Refund) => answer({ refundId, orderId, amount, currency })
