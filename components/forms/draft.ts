import { storedJson } from '#lib/browser-storage.ts'

/** What a form contains before it is sent: texts by name. */
export type Texts = Readonly<Record<string, string>>

export const isChanged = (draft: Texts, first: Texts): boolean =>
  Object.keys(first).some((name) => draft[name] !== first[name])

/** The draft in a stored text if it has exactly the texts of the form, which another version of the console may have changed. */
export function draftIn<T extends Texts>(stored: string | undefined, first: T): T | undefined {
  const found = storedJson(() => stored ?? null)
  const names = Object.keys(first)
  if (typeof found !== 'object' || found === null || Object.keys(found).length !== names.length) return undefined
  const texts = found as Record<string, unknown>
  return names.every((name) => Object.hasOwn(texts, name) && typeof texts[name] === 'string') ? (found as T) : undefined
}
