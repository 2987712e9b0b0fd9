import { WebSocket } from 'ws'
import type { Box } from './open-box.ts'

/** Per tenant: half follow a trace, as its page does, and half what changes in the tenant, as every page does. */
const perKind = 5

export const socketCount = (box: Box): number => box.tenants.length * perKind * 2

export type Live = {
  /** Events so far. */
  events(): number
  /** For each follower of a trace, the spans that it got. */
  spans: { tenantId: string; seen: Set<string> }[]
  /** For each follower of changes, the executions that it heard of. */
  executions: { tenantId: string; seen: Set<string> }[]
  /** Why sockets were closed before their time, and errors. */
  ended: string[]
  close(): void
}

type Event = { type: string; span?: { spanId: string }; topic?: string; id?: string | null }

/**
 * Opens the sockets; they follow when it resolves. By a tenant's id, `followed` has a trace, and `started` the executions that were started
 * so far.
 */
export async function openSockets(
  box: Box,
  followed: ReadonlyMap<string, string>,
  started: ReadonlyMap<string, readonly string[]>,
): Promise<Live> {
  let count = 0
  let closing = false
  const ended: string[] = []
  const sockets: WebSocket[] = []
  const follow = async (token: string, path: string, input: object, onEvent: (event: Event) => void) => {
    const socket = new WebSocket(`${box.api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`, {
      perMessageDeflate: false,
    })
    sockets.push(socket)
    const follows = Promise.withResolvers<void>()
    socket.on('close', (code) => {
      if (!closing) ended.push(`${path}: closed with ${code}`)
    })
    socket.on('error', follows.reject)
    socket.on('open', () => {
      socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${token}` } }))
      socket.send(
        JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'subscription', params: { path, input: { json: input } } }),
      )
    })
    socket.on('message', (data) => {
      const text = String(data)
      if (text === 'PING') return socket.send('PONG')
      const { result, error } = JSON.parse(text)
      if (error !== undefined) {
        ended.push(`${path}: ${text.slice(0, 200)}`)
        follows.reject(new Error(text))
      }
      if (result?.type === 'started') follows.resolve()
      const event: Event | undefined = result?.data?.json?.data
      if (event === undefined) return
      count += 1
      onEvent(event)
    })
    await follows.promise
  }
  const live: Live = {
    events: () => count,
    spans: [],
    executions: [],
    ended,
    close() {
      closing = true
      for (const socket of sockets) socket.terminate()
    },
  }
  for (const tenant of box.tenants) {
    const traceId = followed.get(tenant.id)
    for (let index = 0; index < perKind; index++) {
      const spans = { tenantId: tenant.id, seen: new Set<string>() }
      const executions = { tenantId: tenant.id, seen: new Set<string>() }
      live.spans.push(spans)
      live.executions.push(executions)
      await follow(tenant.person, 'traces.stream', { traceId }, ({ type, span }) => {
        if (type === 'gap') ended.push('traces.stream: missed events')
        if (span !== undefined) spans.seen.add(span.spanId)
      })
      await follow(tenant.person, 'changes.stream', { topics: ['approvals', 'executions'] }, ({ topic, id }) => {
        if (topic !== 'executions') return
        // Null: any of them may have changed.
        for (const told of id == null ? (started.get(tenant.id) ?? []) : [id]) executions.seen.add(told)
      })
    }
  }
  return live
}
