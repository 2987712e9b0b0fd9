import { isPathParameter } from '#lib/paths.ts'
import type { Page } from './load-build.ts'

export type Match = { page: Page; values: Map<string, string> }

type Node = { page?: Page; fixed: Map<string, Node>; parameter?: Node }

/** Finds the page of a path. A fixed segment wins over a parameter, so `executions/new` is never an id. */
export function createMatcher(pages: Page[]): (path: string) => Match | undefined {
  const root: Node = { fixed: new Map() }
  for (const page of pages) insert(root, page)
  return (path) => {
    const segments = path === '/' ? [] : path.slice(1).split('/')
    const found = find(root, segments, [])
    if (!found) return undefined
    return { page: found.page, values: new Map(found.page.parameters.map((name, i) => [name, found.taken[i] ?? ''])) }
  }
}

function insert(root: Node, page: Page): void {
  let node = root
  for (const segment of page.route.split('/').filter((part) => part !== '')) {
    if (segment.startsWith('[')) {
      node.parameter ??= { fixed: new Map() }
      node = node.parameter
    } else {
      const next = node.fixed.get(segment) ?? { fixed: new Map() }
      node.fixed.set(segment, next)
      node = next
    }
  }
  node.page = page
}

function find(node: Node, segments: string[], taken: string[]): { page: Page; taken: string[] } | undefined {
  const [segment, ...rest] = segments
  if (segment === undefined) return node.page ? { page: node.page, taken } : undefined
  const fixed = node.fixed.get(segment)
  const found = fixed && find(fixed, rest, taken)
  if (found) return found
  return node.parameter && isPathParameter(segment) ? find(node.parameter, rest, [...taken, segment]) : undefined
}
