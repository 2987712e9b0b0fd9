import type { IncomingMessage, ServerResponse } from 'node:http'
import { barePolicy, fixedHeaders } from './policy.ts'

/** The browser's report of blocked content. Every text is from outside and is cut to 500 characters. */
export type CspReport = { documentUri: string; directive: string; blockedUri: string; sample: string; source: string }

const MAX_BYTES = 16 * 1024

/**
 * Answers `POST /csp-report` (the policy's report-uri) with 204 and hands the report on; false for anything else.
 * Anyone may post here, so at most `perMinute` reports are handed on; the rest are dropped.
 */
export function createCspReportHandler(options: {
  onReport: (report: CspReport) => void
  perMinute?: number
  https: boolean
}) {
  const { onReport, perMinute = 60 } = options
  const headers = { ...fixedHeaders(options), 'content-security-policy': barePolicy }
  let minute = 0
  let count = 0
  function mayReport(): boolean {
    const now = Math.floor(Date.now() / 60_000)
    if (now !== minute) [minute, count] = [now, 0]
    count += 1
    return count <= perMinute
  }
  return async (req: IncomingMessage, res: ServerResponse): Promise<boolean> => {
    if (req.url !== '/csp-report') return false
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    if (req.method !== 'POST') {
      res.writeHead(405, { allow: 'POST', 'content-length': 0 }).end()
      return true
    }
    const body = await readBody(req)
    if (body === undefined) {
      // The rest of the body is unread, so the connection can't carry another request.
      res.writeHead(413, { connection: 'close' }).end()
      return true
    }
    const report = parseReport(body)
    if (report && mayReport()) onReport(report)
    res.writeHead(report ? 204 : 400).end()
    return true
  }
}

/** Undefined when it is too long. */
async function readBody(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > MAX_BYTES) return undefined
      chunks.push(chunk)
    }
  } catch {
    // The browser left, or was cut off: no one waits for the answer.
    return ''
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The `application/csp-report` body of CSP 3 §5.3; undefined when it is not one. */
function parseReport(body: string): CspReport | undefined {
  const outer = parseJson(body)
  const report = isRecord(outer) ? outer['csp-report'] : undefined
  if (!isRecord(report)) return undefined
  const text = (name: string) => {
    const value = report[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 500) : ''
  }
  return {
    documentUri: text('document-uri'),
    directive: text('effective-directive') || text('violated-directive'),
    blockedUri: text('blocked-uri'),
    sample: text('script-sample'),
    source: `${text('source-file')}:${text('line-number')}`,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
