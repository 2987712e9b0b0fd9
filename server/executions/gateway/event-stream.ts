/** Milliseconds after which a comment keeps an idle stream open, so that no proxy closes it. */
const keepAliveMs = 15_000

/** A response of these JSON-RPC messages as server-sent events. `ended`: called once, when the stream ends or the client leaves. */
export function eventStream(messages: AsyncGenerator<object>, ended: () => void): Response {
  const encoder = new TextEncoder()
  let timer: NodeJS.Timeout | undefined
  const finish = () => {
    clearInterval(timer)
    ended()
  }
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => controller.enqueue(encoder.encode(': open\n\n')), keepAliveMs)
    },
    async pull(controller) {
      try {
        const { done, value } = await messages.next()
        if (done !== true) {
          const text = JSON.stringify({ jsonrpc: '2.0', ...value })
          controller.enqueue(encoder.encode(`event: message\ndata: ${text}\n\n`))
          return
        }
      } catch (error) {
        finish()
        throw error
      }
      finish()
      controller.close()
    },
    async cancel() {
      finish()
      await messages.return(undefined)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
}
