import type { CompiledMessage } from 'icu-minify/format'
import type { ReactNode } from 'react'
import { message } from './message.ts'

/** As mark.ts, of a text with arguments, or the parts of a text around its elements. */
export const markMessage =
  (key: string, english: CompiledMessage) =>
  (values: Record<string, unknown>): ReactNode => {
    if (Object.values(values).every((value) => typeof value !== 'function'))
      return `⟦${key}?${encodeURIComponent(JSON.stringify(values)).replaceAll("'", '%27')}⟧`
    let part = 0
    return message(marked(english) as CompiledMessage, 'en')(values as never)

    function marked(nodes: unknown): unknown {
      if (typeof nodes === 'string') return `⟦${key}/${part++}⟧`
      if (!Array.isArray(nodes))
        throw new Error(`${key} has arguments next to elements: show it after the page has loaded.`)
      return nodes.map((node: unknown) => {
        if (!Array.isArray(node)) return marked(node)
        const [tag, ...inside]: unknown[] = node
        if (typeof tag !== 'string' || inside.length === 0 || typeof inside[0] === 'number')
          throw new Error(`${key} has arguments next to elements: show it after the page has loaded.`)
        return [tag, ...(marked(inside) as unknown[])]
      })
    }
  }
