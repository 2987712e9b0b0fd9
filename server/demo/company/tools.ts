import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

// The tool servers of the demo company. They keep nothing and reach nothing: what they answer follows from their arguments.

type Answer = { [name: string]: string | number | boolean | Answer }
type Tool = {
  title: string
  description: string
  input: z.ZodObject
  reads?: true
  /** Throws for a call that fails. */
  run(given: Record<string, unknown>): Answer
}

const people = [
  ['Elif Aydin', 'elif.aydin'],
  ['Pavel Dvorak', 'pavel.dvorak'],
  ['Grace Adeyemi', 'grace.adeyemi'],
  ['Noor Haddad', 'noor.haddad'],
  ['Tuomas Virtanen', 'tuomas.virtanen'],
  ['Camille Laurent', 'camille.laurent'],
  ['Rui Carvalho', 'rui.carvalho'],
  ['Ingrid Solberg', 'ingrid.solberg'],
  ['Marek Zielinski', 'marek.zielinski'],
  ['Aoife Brennan', 'aoife.brennan'],
] as const

/** The same number for the same text, from 0 to 9,972. */
const numberOf = (text: string): number => {
  let sum = 7
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return sum
}

const personOf = (id: string) => {
  const [name, mail] = people[numberOf(id) % people.length] ?? people[0]
  return { id: `C-${10_000 + numberOf(id)}`, name, email: `${mail}@mail.example` }
}

/** The amount of an order or claim, by the thousand that its number is in. */
function amountOf(id: string): string {
  const cents = numberOf(id) % 100
  const [least = 0, most = 0] = (
    {
      '1': [9, 49],
      '2': [55, 480],
      '3': [520, 4600],
      '4': [1200, 9400],
      '5': [10_500, 38_000],
      '6': [52_000, 88_000],
      '9': [6200, 9800],
    } as const
  )[id.split('-')[1]?.[0] ?? ''] ?? [20, 40]
  return `${least + (numberOf(`${id} amount`) % (most - least))}.${String(cents).padStart(2, '0')}`
}

const requireKnown = (what: string, id: string) => {
  if (id.endsWith('404')) throw new Error(`${what} ${id} was not found.`)
}

const text = z.string()
const amount = z.string().meta({ format: 'decimal' })

export const companyTools: Readonly<Record<string, Readonly<Record<string, Tool>>>> = {
  'demo-shop': {
    lookup_order: {
      title: 'Look up order',
      description: 'Finds an order by its number.',
      input: z.object({ id: text }),
      reads: true,
      run({ id }) {
        requireKnown('Order', String(id))
        return {
          id: String(id),
          amount: amountOf(String(id)),
          currency: 'EUR',
          status: 'delivered',
          customer: personOf(String(id)),
        }
      },
    },
    issue_refund: {
      title: 'Issue refund',
      description: 'Refunds an order to its customer. A refund cannot be undone.',
      input: z.object({ id: text, amount, currency: text }),
      run: ({ id, amount: paid, currency }) => ({
        refundId: `R-${numberOf(String(id))}`,
        amount: String(paid),
        currency: String(currency),
      }),
    },
  },
  'demo-crm': {
    find_customer: {
      title: 'Find customer',
      description: 'Finds a customer by number.',
      input: z.object({ id: text }),
      reads: true,
      run: ({ id }) => ({
        ...personOf(String(id)),
        id: String(id),
        contracts: numberOf(String(id)) % 4,
        since: String(2009 + (numberOf(String(id)) % 15)),
      }),
    },
    delete_customer: {
      title: 'Delete customer record',
      description: 'Deletes everything that is kept about a customer. This cannot be undone.',
      input: z.object({ id: text, ticket: text.optional(), includeInvoices: z.boolean().optional() }),
      run({ id }) {
        requireKnown('Customer', String(id))
        return { id: String(id), deletedRecords: 12 + (numberOf(String(id)) % 60) }
      },
    },
  },
  'demo-warehouse': {
    export_rows: {
      title: 'Export rows',
      description: 'Copies rows of a data set to a destination.',
      input: z.object({ name: text, rows: z.int(), destination: text, personal: z.boolean() }),
      run({ name, rows, destination }) {
        if (String(name).startsWith('ledger'))
          throw new Error(`The destination ${String(destination)} closed the connection.`)
        return { file: `${String(name)}.parquet`, rows: Number(rows), destination: String(destination) }
      },
    },
  },
  'demo-ci': {
    roll_out: {
      title: 'Roll out release',
      description: 'Replaces the version of a service that runs in an environment.',
      input: z.object({ name: text, service: text, version: text, target: text, migration: z.boolean() }),
      run({ service, version, target }) {
        if (String(version).endsWith('.13'))
          throw new Error('The health check failed after 3 attempts; the version before was restored.')
        return { service: String(service), version: String(version), target: String(target), healthy: true }
      },
    },
  },
  'demo-letters': {
    send_letter: {
      title: 'Send letter',
      description: 'Sends a letter by e-mail.',
      input: z.object({ name: text, to: text, subject: text, body: text, attachments: z.int() }),
      run: ({ to }) => ({ messageId: `M-${numberOf(String(to))}`, to: String(to) }),
    },
  },
  'demo-bank': {
    find_claim: {
      title: 'Find claim',
      description: 'Finds a claim by its number.',
      input: z.object({ id: text }),
      reads: true,
      run({ id }) {
        requireKnown('Claim', String(id))
        const kind = ['storm', 'water', 'theft', 'glass'][numberOf(String(id)) % 4] ?? 'storm'
        return {
          id: String(id),
          kind,
          amount: amountOf(String(id)),
          currency: 'EUR',
          insured: personOf(String(id)),
          iban: `DE02 1203 0000 00${numberOf(String(id))}`,
        }
      },
    },
    pay_claim: {
      title: 'Pay out claim',
      description: 'Transfers the amount of a claim to the insured. A transfer cannot be undone.',
      input: z.object({ id: text, amount, currency: text }),
      run: ({ id, amount: paid, currency }) => ({
        transfer: `T-${numberOf(String(id))}`,
        amount: String(paid),
        currency: String(currency),
      }),
    },
  },
}

/** One of the company's tool servers. Throws for an unknown name. */
export function companyServer(name: string): McpServer {
  const tools = companyTools[name]
  if (tools === undefined) throw new Error(`The demo company does not have a tool server ${name}.`)
  const server = new McpServer({ name, version: '1.0.0' })
  for (const [tool, { title, description, input, reads, run }] of Object.entries(tools))
    server.registerTool(
      tool,
      {
        title,
        description,
        inputSchema: input,
        annotations: { readOnlyHint: reads === true, destructiveHint: reads !== true },
      },
      async (given: Record<string, unknown>) => {
        try {
          const structuredContent = run(given)
          return { content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }], structuredContent }
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error)
          return { content: [{ type: 'text' as const, text: message }], isError: true }
        }
      },
    )
  return server
}
