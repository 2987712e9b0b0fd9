import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { companyServer } from './tools.ts'

// Ctrl-C reaches the whole process group: a call in progress is finished, and the closed pipe ends this process.
process.on('SIGINT', () => undefined)
await companyServer(process.argv[2] ?? '').connect(new StdioServerTransport())
