import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { createServer as createTlsServer } from 'node:tls'

export type HttpAnswer = { status: number; body: unknown }
/** 'hold' never answers, 'trickle' answers without an end, 'drop' ends the connection after the whole request has arrived. */
export type HttpBehaviour = HttpAnswer | 'hold' | 'trickle' | 'drop'
export type HttpCall = { path: string; authorization: string | undefined; userAgent: string | undefined; body: string }

/** A collector over HTTP, which answers each request with `behave` and remembers it. */
export async function startCollector(usual: HttpAnswer) {
  const calls: HttpCall[] = []
  let behaviour: (call: HttpCall) => HttpBehaviour = () => usual
  const server = createHttpServer(async (request, response) => {
    const { authorization, 'user-agent': userAgent } = request.headers
    const call = { path: request.url ?? '', authorization, userAgent, body: await readText(request) }
    calls.push(call)
    const answer = behaviour(call)
    if (answer === 'hold') return
    if (answer === 'drop') return request.socket.destroy()
    if (answer === 'trickle') {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(more))
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    behave(next: (call: HttpCall) => HttpBehaviour) {
      behaviour = next
    },
    recover() {
      behaviour = () => usual
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** 'reset' resets the connection when the first bytes arrive; 'silent' reads everything and never closes; 'slow' reads 1 KB at a time. */
export type SyslogBehaviour = 'reset' | 'silent' | 'slow'

/** A receiver of syslog over TLS that counts octets as RFC 5425 says. */
export async function startSyslog(certificate: { cert: string; key: string }) {
  const messages: string[] = []
  const broken: string[] = []
  const names: (string | undefined)[] = []
  /** The connections below TLS, by the port of the sender. */
  const connections = new Map<number | undefined, Socket>()
  let behaviour: SyslogBehaviour | undefined
  const server = createTlsServer({ ...certificate, allowHalfOpen: true }, (socket) => {
    names.push(socket.servername || undefined)
    if (behaviour === 'reset') socket.once('data', () => connections.get(socket.remotePort)?.resetAndDestroy())
    const parts: Buffer[] = []
    if (behaviour === 'slow') {
      const reading = setInterval(() => {
        const part: Buffer | null = socket.read(1024) ?? socket.read()
        if (part !== null) parts.push(part)
      }, 30)
      socket.on('close', () => clearInterval(reading))
    } else socket.on('data', (part) => parts.push(part))
    socket.on('error', () => undefined)
    socket.on('end', () => {
      read(Buffer.concat(parts))
      if (behaviour !== 'silent') socket.end()
    })
  })
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => {
    const { remotePort } = socket
    connections.set(remotePort, socket)
    socket.on('close', () => connections.delete(remotePort))
  })
  function read(bytes: Buffer): void {
    for (let at = 0; at < bytes.byteLength; ) {
      const space = bytes.indexOf(0x20, at)
      const octets = /^[1-9]\d{0,5}$/.exec(bytes.toString('latin1', at, space))?.[0]
      const end = space + 1 + Number(octets)
      if (space === -1 || octets === undefined || end > bytes.byteLength) {
        broken.push(bytes.toString('utf8', at))
        return
      }
      messages.push(bytes.toString('utf8', space + 1, end))
      at = end
    }
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    /** What was not a whole frame. */
    broken,
    /** Of the server, as each connection asked for it (SNI). */
    names,
    behave(next: SyslogBehaviour | undefined) {
      behaviour = next
    },
    async close() {
      for (const socket of connections.values()) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
