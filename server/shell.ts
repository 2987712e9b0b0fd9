import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { CONFIG, choiceOf, documentChoice, NONCE } from '#lib/console-build.ts'
import { keptLanguage, preferredLanguage, sourceLanguage } from '#lib/languages.ts'
import { configJson } from '#lib/page-head.ts'
import type { RuntimeConfig } from '#lib/runtime-config.ts'
import { accepts } from '#server/kernel/answers/negotiation.ts'
import { sendFile } from './shell/file.ts'
import { type Answer, fill, type LoadedConsole } from './shell/load-build.ts'
import { createMatcher } from './shell/match.ts'
import { contentSecurityPolicy, filePolicy, fixedHeaders } from './shell/policy.ts'

export type ShellOptions = {
  build: LoadedConsole
  config: RuntimeConfig
  /** Origins other than our own that pages may call (fetch and WebSocket). */
  connectOrigins: string[]
  https: boolean
}

const compress = promisify(gzip)

/**
 * Serves the built console: files by their exact name, and pages in the reader's language with a fresh nonce, the run-time
 * configuration and the path's parameters written into their holes. Everything else is the not-found page. The answer to HEAD is that to GET without its body;
 * other methods get 405.
 */
export function createShell(options: ShellOptions) {
  const { pages, notFound, files, chosenBy, languages } = options.build
  const match = createMatcher(pages)
  const headers = fixedHeaders(options)
  const policy = contentSecurityPolicy(options)
  const config = configJson(options.config)
  const ofDocument = documentChoice(options.build)

  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const [path = '/', query] = (req.url ?? '/').split('?', 2)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    const nonce = randomBytes(16).toString('base64')
    res.setHeader('content-security-policy', policy(nonce))
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { allow: 'GET, HEAD', 'content-length': 0 }).end()
      return
    }
    const file = files.get(path)
    if (file !== undefined) {
      res.setHeader('content-security-policy', filePolicy)
      return sendFile(req, res, file)
    }
    // Only an address that is a page without its last slash: any other Location could name another host.
    if (path.length > 1 && path.endsWith('/') && match(path.slice(0, -1)) !== undefined) {
      const location = path.slice(0, -1) + (query === undefined ? '' : `?${query}`)
      res.writeHead(308, { location, 'content-length': 0 }).end()
      return
    }
    const choice = choiceOf(chosenBy.map((name) => req.headers[name]?.toString()))
    const found = match(path)
    const language = languageFor(req.headers, languages)
    const answer =
      found?.page.answers.get(language)?.get(choice) ?? (choice === ofDocument ? notFound.get(language) : undefined)
    if (answer === undefined) {
      // Any status but 200 makes the browser's router load the page instead.
      res.writeHead(404, { 'content-length': 0 }).end()
      return
    }
    const values = new Map([...(found?.values ?? []), [NONCE, nonce], [CONFIG, config]])
    await send(req, res, found === undefined ? 404 : 200, answer, values)
  }
}

/** What this browser keeps, then what it asks for, if the console was built in them. */
function languageFor(headers: IncomingMessage['headers'], built: readonly string[]): string {
  const wanted = [keptLanguage(headers.cookie)?.language, preferredLanguage(headers['accept-language'])]
  return wanted.find((language) => language !== undefined && built.includes(language)) ?? sourceLanguage
}

async function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  answer: Answer,
  values: Map<string, string>,
) {
  let body = fill(answer, values)
  for (const [name, value] of Object.entries(answer.headers)) res.setHeader(name, value)
  if (accepts(req.headers['accept-encoding'], 'gzip')) {
    // The body holds no secret but the nonce, which no later answer repeats: nothing for BREACH to guess at.
    body = await compress(body, { level: constants.Z_BEST_SPEED })
    res.setHeader('content-encoding', 'gzip')
  }
  res.writeHead(status, { 'content-length': body.length })
  res.end(req.method === 'HEAD' ? undefined : body)
}
