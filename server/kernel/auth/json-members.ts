/** Strings and structural characters; everything else in a JSON text is a number, a literal or white space. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g

/**
 * Whether an object of this JSON text, at any depth, has two members of one name, however the names are escaped. JSON.parse
 * takes the last one and other readers the first, so such a text has two meanings. The text must be valid JSON.
 */
export function hasDuplicateMembers(json: string): boolean {
  // The names of each open object; undefined for an open array.
  const open: (Set<unknown> | undefined)[] = []
  let last = '""'
  for (const [token] of json.matchAll(tokens)) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(undefined)
    else if (token === '}' || token === ']') open.pop()
    else if (token === ':') {
      const name: unknown = JSON.parse(last)
      if (open.at(-1)?.has(name) === true) return true
      open.at(-1)?.add(name)
    } else last = token
  }
  return false
}
