/** The demo's payments server on a machine that is so busy that it takes `START_MS` to start. */
import { setTimeout as delay } from 'node:timers/promises'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createPayments } from '#server/demo/payments-tools.ts'

await delay(Number(process.env.START_MS))
await createPayments().connect(new StdioServerTransport())
