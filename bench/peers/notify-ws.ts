// Peer of case 5: LISTEN on one side, `ws` on the other. A socket first names its topic (a tenant's trace); each notification
// with that topic sends it the same MESSAGE. It reads no tables and authenticates no one.
import type { AddressInfo } from 'node:net'
import { Client } from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'

const followers = new Map<string, Set<WebSocket>>()
const message = process.env.MESSAGE ?? ''
const listener = new Client({ connectionString: process.env.DATABASE_URL })
await listener.connect()
listener.on('notification', ({ payload = '' }) => {
  for (const socket of followers.get(payload) ?? []) socket.send(message)
})
await listener.query('listen trace')

const server = new WebSocketServer({ port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  socket.once('message', (data) => {
    const topic = String(data)
    const set = followers.get(topic) ?? new Set()
    followers.set(topic, set.add(socket))
    socket.once('close', () => set.delete(socket))
    socket.send('following')
  })
})
server.on('listening', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`ready ws://localhost:${port}\n`)
})
