import type { JsonObject, JsonValue } from '#lib/json.ts'
import { isJsonObject } from '#lib/json.ts'
import type { CatalogOperation } from '#lib/schemas/catalog.ts'
import { Failed } from './failure.ts'
import { callServer } from './request.ts'
import { mayRetry, pauseAfter } from './retry.ts'
import type { Session } from './session.ts'

type Message = { event: string; id?: string; data: string }

const mostFailures = 3

/**
 * The events of a subscription until the server ends it. A lost connection is opened again and continues after the last event;
 * three failures in a row without an event end it. Heartbeats are left out.
 */
export async function* follow(
  session: Session,
  operation: CatalogOperation,
  input: JsonObject,
): AsyncGenerator<JsonValue> {
  let last: string | undefined
  for (let failures = 0; ; failures++) {
    let failure = lost('The server keeps closing the stream.')
    try {
      const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) }
      const response = await callServer(session, operation, input, { headers })
      for await (const { event, id, data } of messages(response)) {
        if (event === 'return') return
        if (event === 'serialized-error') throw failureIn(data)
        if (id === undefined) continue
        last = id
        failures = -1
        const value = JSON.parse(data).json as JsonValue
        if (!isJsonObject(value) || value.type !== 'heartbeat') yield value
      }
    } catch (error) {
      // A broken connection and a server that fails or has too much to do are repeated; a refusal is not.
      failure = error instanceof Failed ? error : lost(`The stream broke: ${String(error)}`)
    }
    if (!mayRetry(failure, failures + 1, mostFailures)) throw failure
    await pauseAfter(failure, failures + 1)
  }
}

const lost = (message: string) => new Failed('unreachable', message, { code: 'unreachable' })

function failureIn(data: string): Failed {
  const { message, data: facts } = JSON.parse(data).json ?? {}
  return new Failed(
    facts?.httpStatus === 401 ? 'signedOut' : facts?.httpStatus >= 500 ? 'unreachable' : 'refused',
    String(message),
    {
      code: facts?.reason,
      httpStatus: facts?.httpStatus,
      requestId: facts?.requestId,
    },
  )
}

/** Server-sent events (https://html.spec.whatwg.org/#parsing-an-event-stream). */
async function* messages(response: Response): AsyncGenerator<Message> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield messageOf(block)
  }
}

function messageOf(block: string): Message {
  const message: Message = { event: 'message', data: '' }
  for (const line of block.split(/\r?\n/)) {
    const [, field, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
    if (field === 'data') message.data += message.data === '' ? value : `\n${value}`
    else if (field === 'event') message.event = value
    else if (field === 'id') message.id = value
  }
  return message
}
