import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/**
 * Starts a model with the API of chat completions. It calls the tool that the user names as `<tool> <JSON>`, and then repeats the
 * answer of the tool.
 */
export async function startToolModel(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] }
      const answered = messages.findLast(({ role }) => role === 'tool')
      const [, name = '', args = '{}'] =
        /^(\w+) (\{.*\})$/.exec(said(messages.find(({ role }) => role === 'user'))) ?? []
      const message =
        answered === undefined
          ? {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
            }
          : { role: 'assistant', content: `The tool answered: ${said(answered)}` }
      res.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          id: 'chatcmpl-1',
          object: 'chat.completion',
          created: 1_795_000_000,
          model: 'small-1',
          choices: [{ index: 0, finish_reason: answered === undefined ? 'tool_calls' : 'stop', message }],
          usage: { prompt_tokens: 9, completion_tokens: 21, total_tokens: 30 },
        }),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The text of a message, which some SDKs send in parts. */
function said(message: { content: unknown } | undefined): string {
  const content = message?.content
  if (!Array.isArray(content)) return String(content ?? '')
  return content.map((part: { text?: string }) => part.text ?? '').join('')
}
