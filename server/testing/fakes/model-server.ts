import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

type ToolCall = { name: string; arguments: unknown }
/** How the endpoint responds to one request. */
export type Answer =
  | { text?: string; toolCalls?: ToolCall[]; tokens?: { input: number; output: number }; slowMs?: number }
  | { status: number }
  /** Pieces of text. The stream waits for each promise among them. */
  | { pieces: (string | Promise<unknown>)[] }
  | 'die mid-stream'
  /** Half an answer, followed by silence until the connection ends. */
  | 'hold'

export type ModelRequest = {
  authorization: string | undefined
  body: {
    model: string
    messages: { role: string; content: string | null; tool_calls?: unknown[] }[]
    tools?: unknown[]
  }
}

export type ModelServer = {
  /** The address of the endpoint, for a manifest. */
  url: string
  requests: ModelRequest[]
  /** Sets the responses to the next requests of this model, in order. Later requests get `{text: 'done'}`. */
  script(model: string, ...answers: Answer[]): void
  close(): Promise<void>
}

/** Starts an OpenAI-compatible endpoint on this machine that streams scripted answers and failures. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  const scripts = new Map<string, Answer[]>()
  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined))
  })
  async function answer(req: IncomingMessage, res: ServerResponse) {
    const body: ModelRequest['body'] = JSON.parse(await textOf(req))
    requests.push({ authorization: req.headers.authorization, body })
    const what = scripts.get(body.model)?.shift() ?? { text: 'done' }
    if (typeof what === 'object' && 'status' in what) return res.writeHead(what.status).end('{"error":{}}')
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (chunk: unknown) =>
      res.write(`data: ${JSON.stringify({ id: 'c-1', model: body.model, ...Object(chunk) })}\n\n`)
    if (typeof what === 'string') {
      const half = { id: 'c-1', model: body.model, choices: [{ delta: { content: 'Half an ' } }] }
      // Ends once the half has left: the connection breaks in the middle of an answer that had begun.
      res.write(`data: ${JSON.stringify(half)}\n\n`, () => what === 'die mid-stream' && res.destroy())
      return
    }
    if ('pieces' in what) {
      for (const piece of what.pieces)
        if (typeof piece === 'string') send({ choices: [{ delta: { content: piece } }] })
        else await piece
      send({ choices: [{ delta: {}, finish_reason: 'stop' }] })
      return res.end('data: [DONE]\n\n')
    }
    for (const word of (what.text ?? '').split(/(?<= )/)) {
      send({ choices: [{ delta: { content: word } }] })
      if (what.slowMs !== undefined) await delay(what.slowMs)
    }
    for (const [index, { name, arguments: args }] of (what.toolCalls ?? []).entries()) {
      const text = JSON.stringify(args)
      const part = (more: unknown) => send({ choices: [{ delta: { tool_calls: [{ index, ...Object(more) }] } }] })
      part({ id: `call_${index}`, type: 'function', function: { name, arguments: text.slice(0, 5) } })
      part({ function: { arguments: text.slice(5) } })
    }
    send({ choices: [{ delta: {}, finish_reason: what.toolCalls === undefined ? 'stop' : 'tool_calls' }] })
    const { input, output } = what.tokens ?? { input: 100, output: 10 }
    send({ choices: [], usage: { prompt_tokens: input, completion_tokens: output } })
    res.end('data: [DONE]\n\n')
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    script: (model, ...answers) => void scripts.set(model, answers),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
