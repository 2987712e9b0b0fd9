import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createPayments } from './payments-tools.ts'

// Ctrl-C reaches the whole process group: a call in progress is finished, and the closed pipe ends this process.
process.on('SIGINT', () => undefined)
await createPayments().connect(new StdioServerTransport())
