// A tool server over stdio that speaks only the protocol's revision of 2026-07-28: the handshake of before is refused.
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { greetingServer } from './greeting-server.ts'

serveStdio(greetingServer, { legacy: 'reject' })
