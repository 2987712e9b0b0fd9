import { Agent, request } from 'node:http'
import type { Side } from './measure.ts'

/** `width` callers, each starting its next call when the last one is answered, until `deadline`. Returns the number of calls. */
export async function closedLoop(width: number, deadline: number, once: () => Promise<unknown>): Promise<number> {
  let done = 0
  const caller = async () => {
    while (performance.now() < deadline) {
      await once()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: width }, caller))
  return done
}

export type HttpCall = {
  url: string
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
}

/** One call; resolves with the answer, whatever its status. */
export function ask(what: HttpCall, agent?: Agent): Promise<{ status: number; text: string }> {
  const { url, method = 'GET', headers = {}, body } = what
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers, ...length }, ...(agent && { agent }) }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('error', reject)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    // The server may close an idle connection just as it is reused: such a request was never read, and clients send it again.
    sent.on('error', (error) =>
      sent.reusedSocket && Reflect.get(error, 'code') === 'ECONNRESET' ? resolve(ask(what, agent)) : reject(error),
    )
    sent.end(body)
  })
}

/** One call; resolves with the body, and throws for any status but 200 and 202. */
export async function call(what: HttpCall, agent?: Agent): Promise<string> {
  const { status, text } = await ask(what, agent)
  if (status !== 200 && status !== 202) throw new Error(`${what.url}: ${status} ${text}`)
  return text
}

const width = 16

/** A server under calls of one kind from 16 connections. `processes` are the server's. */
export const httpSide = (
  name: string,
  processes: readonly number[],
  database: boolean,
  what: HttpCall | (() => HttpCall),
): Side => ({
  name,
  processes,
  database,
  async run(deadline) {
    // New connections for each segment: the server may have been paused since the last one.
    const agent = new Agent({ keepAlive: true, maxSockets: width })
    try {
      return await closedLoop(width, deadline, () => call(typeof what === 'function' ? what() : what, agent))
    } finally {
      agent.destroy()
    }
  },
})

/** Bytes of one call on a connection that is already open, in both directions, headers included. */
export async function bytesOnTheWire(what: HttpCall): Promise<{ sent: number; received: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    await call(what, agent)
    const [socket] = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])
    if (socket === undefined) throw new Error('The server closed the connection.')
    const before = { sent: socket.bytesWritten, received: socket.bytesRead }
    await call(what, agent)
    return { sent: socket.bytesWritten - before.sent, received: socket.bytesRead - before.received }
  } finally {
    agent.destroy()
  }
}
