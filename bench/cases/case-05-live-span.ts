import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Database } from '#server/kernel/db/database.ts'
import { topicOf } from '#server/kernel/db/notify.ts'
import { newSpanId, newTraceId } from '#server/kernel/ids.ts'
import type { TestApi } from '#server/testing/api.ts'
import { joinServer } from '#server/testing/join-server.ts'
import { startSpan, startTrace } from '#server/traces/recording/record.ts'
import { startChild } from '../child.ts'
import { type comparer, median, type Side } from '../measure.ts'
import { isQuiet } from '../procfs.ts'
import { type Figure, figure, number, ratioFigure } from '../report.ts'

const sockets = 20
/** The most commits in flight. */
const window = 8
const addedLimitMs = 1

/** Connects one follower of a trace; resolves when it follows, and then reports each message. */
type Follow = (traceId: string, onSpan: () => void) => Promise<{ close(): void }>
type Writer = { database: Database; tenantId: string }

export async function liveSpan(api: TestApi, apiPid: number, compare: ReturnType<typeof comparer>): Promise<Figure[]> {
  const { database, close } = await joinServer(api.ownerUrl, join(dirname(api.gate), 'data'))
  const writer = { database, tenantId: api.credentials.tenants[0]?.id ?? '' }
  const ourFollow = followApi(api, await api.person('maria'))
  const message = await oneMessage(writer, api, await api.person('maria'))
  const peer = await startChild('bench/peers/notify-ws.ts', { DATABASE_URL: api.ownerUrl, MESSAGE: message })
  try {
    const peerFollow = followPeer(peer.address, writer.tenantId)
    const theirs = side('NOTIFY + ws', peer.pid, writer, peerFollow)
    const ours = side('countersign', apiPid, writer, ourFollow)
    const result = await compare(theirs, ours)
    theirs.close()
    ours.close()
    const note = `${sockets} sockets on one trace; both notified by the same commits`
    const job = 'live span: commit → socket'
    return [
      ratioFigure(
        { case: 5, job, unit: 'deliveries/CPU s', least: 0.4, limit: 'ws 128–169 k deliveries', note },
        result,
      ),
      await addedLatency(writer, ourFollow, peerFollow),
    ]
  } finally {
    await peer.stop()
    await close()
  }
}

async function beginTrace({ database, tenantId }: Writer): Promise<string> {
  const traceId = newTraceId()
  await database.inTenant(tenantId, (tx) => startTrace(tx, tenantId, { traceId, name: 'bench', startedAt: new Date() }))
  return traceId
}

const commitSpan = ({ database, tenantId }: Writer, traceId: string): Promise<void> =>
  database.inTenant(tenantId, (tx) =>
    startSpan(tx, tenantId, {
      traceId,
      spanId: newSpanId(),
      name: 'execute_tool lookup_order',
      kind: 'tool',
      attributes: [{ key: 'gen_ai.tool.call.arguments', value: { id: 'A-1001' } }],
      startedAt: new Date(),
    }),
  )

type Spans = Side & { close(): void }

/** Followers of a new trace for each segment; connecting is not measured. */
function side(name: string, pid: number, writer: Writer, follow: Follow): Spans {
  let traceId = ''
  let followers: { close(): void }[] = []
  let delivered = 0
  let rouse: (() => void) | undefined
  const close = () => {
    for (const follower of followers.splice(0)) follower.close()
  }
  const until = async (count: number) => {
    const giveUp = Date.now() + 10_000
    while (delivered < count) {
      if (Date.now() > giveUp) throw new Error(`${name} delivered ${delivered} of ${count}.`)
      const arrival = new Promise<void>((resolve) => {
        rouse = resolve
      })
      await Promise.race([arrival, delay(1000)])
    }
  }
  return {
    name,
    processes: [pid],
    database: true,
    close,
    async prepare() {
      close()
      traceId = await beginTrace(writer)
      delivered = 0
      const onSpan = () => {
        delivered += 1
        rouse?.()
      }
      followers = await Promise.all(Array.from({ length: sockets }, () => follow(traceId, onSpan)))
    },
    async run(deadline) {
      let commits = 0
      do {
        await commitSpan(writer, traceId)
        commits += 1
        await until((commits - window) * sockets)
      } while (performance.now() < deadline)
      await until(commits * sockets)
      return commits * sockets
    },
  }
}

/** The median delay of one socket after the commit, beyond its delay at the peer. */
async function addedLatency(writer: Writer, ours: Follow, peer: Follow): Promise<Figure> {
  const line = { case: 5, job: 'live span: added delay (p50)', target: `≤ ${addedLimitMs} ms` }
  if (!(await isQuiet())) return figure({ ...line, ours: 'SKIP(noisy)' })
  const medianOf = async (follow: Follow) => {
    const traceId = await beginTrace(writer)
    let arrived: (() => void) | undefined
    const follower = await follow(traceId, () => arrived?.())
    const times: number[] = []
    for (let index = 0; index < 200; index++) {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve
      })
      const began = performance.now()
      await commitSpan(writer, traceId)
      await arrival
      times.push(performance.now() - began)
    }
    follower.close()
    return median(times)
  }
  const [theirs, own] = [await medianOf(peer), await medianOf(ours)]
  if (!(await isQuiet())) return figure({ ...line, ours: 'SKIP(noisy)' })
  const added = own - theirs
  return figure({
    ...line,
    ours: `${number(own)} ms`,
    peer: `${number(theirs)} ms`,
    ratio: `+${number(added)} ms`,
    met: added <= addedLimitMs ? 'yes' : 'no',
  })
}

function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** A subscription in tRPC's protocol without its client, so that only the server is measured. */
const followApi =
  (api: TestApi, token: string, onMessage: (text: string) => void = () => undefined): Follow =>
  async (traceId, onSpan) => {
    const socket = await opened(`${api.baseUrl.replace('http', 'ws')}/v1?connectionParams=1`)
    socket.send(JSON.stringify({ method: 'connectionParams', data: { authorization: `Bearer ${token}` } }))
    const params = { path: 'traces.stream', input: { json: { traceId } } }
    socket.send(JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'subscription', params }))
    await new Promise<void>((resolve, reject) => {
      socket.on('message', (data) => {
        const text = String(data)
        if (text.includes('"error"')) reject(new Error(text))
        else if (text.includes('"started"')) resolve()
        else if (text.includes('span.started')) {
          onMessage(text)
          onSpan()
        }
      })
    })
    return { close: () => socket.terminate() }
  }

const followPeer =
  (url: string, tenantId: string): Follow =>
  async (traceId, onSpan) => {
    const socket = await opened(url)
    socket.send(topicOf(tenantId, traceId))
    await new Promise((resolve) => socket.once('message', resolve))
    socket.on('message', onSpan)
    return { close: () => socket.terminate() }
  }

/** The message of our server for one span; the peer sends the same bytes. */
async function oneMessage(writer: Writer, api: TestApi, token: string): Promise<string> {
  const traceId = await beginTrace(writer)
  const arrived = Promise.withResolvers<string>()
  const follower = await followApi(api, token, arrived.resolve)(traceId, () => undefined)
  await commitSpan(writer, traceId)
  const text = await arrived.promise
  follower.close()
  return text
}
