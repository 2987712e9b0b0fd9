// A tool server over stdio that speaks only the protocol's revision 2026-07-28 and refuses the earlier handshake.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { greetingServer } from './greeting-server.ts'

serveStdio(greetingServer, { legacy: 'reject' })
