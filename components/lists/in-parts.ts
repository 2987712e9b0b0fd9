import { limits } from '#lib/limits.ts'

/** In parts that a call may ask for, so that further rows ask for their own names only. */
export function inParts<T>(items: readonly T[], size: number = limits.pageRows): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
