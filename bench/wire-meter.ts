import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { isSetting } from '#server/kernel/db/statements/control.ts'

/** The clients' messages to PostgreSQL so far, without the queue's housekeeping (application name countersign-queue). */
export type Traffic = { statements: number; commits: number; bytes: number }

export type WireMeter = {
  /** `url` with this meter's port. */
  through(url: string): string
  read(): Traffic
  close(): void
}

const headerBytes = 5

/**
 * A relay in front of PostgreSQL that counts the frontend's messages: each simple query and each execution of a prepared
 * statement counts as one, and the settings of a transaction as a part of its BEGIN. See https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export async function openWireMeter(target: { port: number }): Promise<WireMeter> {
  const traffic: Traffic = { statements: 0, commits: 0, bytes: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay(true))
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    const count = counter(traffic)
    client.on('data', count)
    client.pipe(upstream).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    through(url) {
      const own = new URL(url)
      own.port = String(port)
      return own.href
    },
    read: () => ({ ...traffic }),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Reads one connection's stream: first a start-up message without a type, then `type, length, body`. */
export function counter(traffic: Traffic): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let started = false
  let ignored = false
  const note = noting(traffic)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    if (!started) {
      if (rest.length < 4 || rest.length < rest.readInt32BE(0)) return
      const length = rest.readInt32BE(0)
      ignored = rest.toString('latin1', 0, length).includes('application_name\0countersign-queue/')
      started = true
      rest = rest.subarray(length)
    }
    while (rest.length >= headerBytes) {
      const length = 1 + rest.readInt32BE(1)
      if (rest.length < length) return
      if (!ignored) note(String.fromCharCode(rest.readUInt8(0)), rest.subarray(headerBytes, length))
      rest = rest.subarray(length)
    }
  }
}

/** Takes the messages of one connection, in order. */
function noting(traffic: Traffic): (type: string, body: Buffer) => void {
  const texts = new Map<string, string>()
  let bound = ''
  const execute = (text: string) => {
    if (isSetting(text)) return
    traffic.statements += 1
    // A COMMIT with notifications is the last statement of its message.
    if (/(^|; )commit$/i.test(text)) traffic.commits += 1
  }
  return (type, body) => {
    traffic.bytes += headerBytes + body.length
    const [first = '', second = ''] = body.toString('latin1').split('\0', 2)
    if (type === 'Q') execute(first)
    // The text of a statement follows its name, and the name of what is bound follows that of its portal, which is always the same.
    else if (type === 'P') texts.set(first, second)
    else if (type === 'B') bound = texts.get(second) ?? ''
    else if (type === 'E') execute(bound)
  }
}
