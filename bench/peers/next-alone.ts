// Peer of case 16: Next on the same build, without our server.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import next from 'next'

const app = next({ dev: false, dir: join(import.meta.dirname, '..', '..'), quiet: true })
await app.prepare()
const handle = app.getRequestHandler()
const server = createServer((req, res) => void handle(req, res))
server.listen(0, () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`ready http://localhost:${port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
