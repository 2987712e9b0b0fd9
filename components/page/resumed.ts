import { RequestError } from '#lib/failure.ts'

/** Where a download continues: after its first bytes, if it is still the same version. */
export type From = { start: number; etag: string }

/** In milliseconds. `again`: before the next attempts, while no byte arrives in between. `silent`: until a byte arrives. */
const waits = { again: [500, 2_000, 8_000], silent: 30_000 }

/**
 * The bytes of a response. Where they break off or stop, `continueFrom` asks for the rest. It errors with the last error if no
 * attempt brings a byte, if the server refuses, and if the file has changed.
 */
export function resumed(
  response: Response,
  continueFrom: (from: From) => Promise<Response>,
  { again, silent }: { again: readonly number[]; silent: number } = waits,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const etag = response.headers.get('etag')
  let reader = readerOf(response)
  let [received, attempts, canceled] = [0, 0, false]

  /** Throws the error if it is final. */
  async function resume(error: unknown): Promise<undefined> {
    const wait = again[attempts]
    if (wait === undefined || etag === null || isFinal(error)) throw error
    attempts += 1
    await new Promise((resolve) => setTimeout(resolve, wait))
    const rest = await continueFrom({ start: received, etag }).catch(resume)
    if (rest === undefined) return
    reader = readerOf(rest)
    const begins = Number(/^bytes (\d+)-/.exec(rest.headers.get('content-range') ?? '')?.[1])
    const same = rest.status === 206 && begins === received
    if (canceled || !same) await reader.cancel()
    if (!same) throw new Error('The file changed while it was being downloaded.')
  }

  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        const piece = await within(silent, reader).catch(resume)
        if (piece === undefined) continue
        if (piece.done) return controller.close()
        received += piece.value.byteLength
        attempts = 0
        return controller.enqueue(piece.value)
      }
    },
    cancel(reason) {
      canceled = true
      return reader.cancel(reason)
    },
  })
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>

const readerOf = (response: Response): Reader => (response.body ?? new Blob().stream()).getReader() as Reader

/** The next piece. Rejects, and ends the request, if none arrives in time. */
async function within(ms: number, reader: Reader) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('The download stopped.'))
      void reader.cancel().catch(() => undefined)
    }, ms)
  })
  return await Promise.race([reader.read(), late]).finally(() => clearTimeout(timer))
}

/** The server's refusal, and the end of the page that asked. */
const isFinal = (error: unknown): boolean =>
  error instanceof RequestError
    ? !error.failure.retryable
    : error instanceof DOMException && error.name === 'AbortError'
