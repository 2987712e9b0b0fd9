/** The demo's payments server, which takes `START_MS` to start, as on a busy machine. */
import { setTimeout as delay } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createPayments } from '#server/demo/payments-tools.ts'

await delay(Number(process.env.START_MS))
await createPayments().connect(new StdioServerTransport())
