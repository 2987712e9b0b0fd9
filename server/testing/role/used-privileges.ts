import { parseAst } from 'vitest/node'

// Which privileges the statements of a source file need: from Kysely's calls and from the text of `sql` templates.

type Node = { type: string; start: number; end: number; [key: string]: unknown }
type Chain = { method: string; args: Node[] }[]

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))
const field = (node: Node | undefined, name: string): Node | undefined => {
  const value = node?.[name]
  return isNode(value) ? value : undefined
}
const nodesIn = (node: Node | undefined, name: string): Node[] => {
  const value = node?.[name]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Privileges as in grants.ts, each as `<table> <privilege>`; a lock alone as `<table> lock`. */
export function usedPrivileges(file: string, text: string): Set<string> {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node
  const parents = new Map<Node, Node>()
  const all: Node[] = []
  const collect = (node: Node) => {
    all.push(node)
    for (const child of childrenOf(node)) {
      parents.set(child, node)
      collect(child)
    }
  }
  collect(program)
  const used = new Set<string>()
  for (const node of all) {
    if (node.type === 'TaggedTemplateExpression' && text.slice(node.start).startsWith('sql'))
      for (const one of usedBySql(templateText(field(node, 'quasi')))) used.add(one)
    else if (isStatement(node)) for (const one of usedBySql(plainText(node))) used.add(one)
    const table = namedTable(node)
    if (table === undefined) continue
    const chain = chainFrom(node)
    const [{ method }] = chain as [Chain[number]]
    for (const privilege of neededBy(method, chain)) used.add(`${table} ${privilege}`)
  }
  return used

  /** Text of a statement by itself. What is passed to a client's query() runs with the rights of the owner. */
  function isStatement(node: Node): boolean {
    const parent = parents.get(node)
    if (parent?.type === 'TaggedTemplateExpression') return false
    if (parent?.type === 'CallExpression' && methodOf(parent) === 'query') return false
    return /^\s*(with|select|insert|update|delete)\s/.test(plainText(node))
  }

  /** The chain of calls that begins with this one, as in `updateTable('a').set(b).where(c)`. */
  function chainFrom(call: Node): Chain {
    const found: Chain = [{ method: methodOf(call) ?? '', args: nodesIn(call, 'arguments') }]
    let at = call
    for (;;) {
      const member = parents.get(at)
      if (member?.type !== 'MemberExpression' || member.object !== at) return found
      const next = parents.get(member)
      if (next?.type !== 'CallExpression' || next.callee !== member) return found
      found.push({ method: methodOf(next) ?? '', args: nodesIn(next, 'arguments') })
      at = next
    }
  }

  function neededBy(method: string, chain: Chain): string[] {
    const argsOf = (name: string) => chain.filter((one) => one.method === name).flatMap(({ args }) => args)
    if (method === 'insertInto') {
      const merged = callsIn(argsOf('onConflict'), 'doUpdateSet').flatMap((call) => nodesIn(call, 'arguments'))
      const reads = chain.some((one) => one.method === 'returning' || one.method === 'onConflict')
      return ['insert', ...(reads ? ['select'] : []), ...updates(merged)]
    }
    if (method === 'updateTable') return ['select', ...updates(argsOf('set'))]
    if (method === 'deleteFrom') return ['select', 'delete']
    const locks = chain.some((one) => /^for(NoKey)?(Update|Share|KeyShare)$/.test(one.method))
    return ['select', ...(locks || locked(chain) ? ['lock'] : [])]
  }

  function locked(chain: Chain): boolean {
    return (
      callsIn(
        chain.filter((one) => one.method === '$if').flatMap(({ args }) => args),
        'forUpdate',
      ).length > 0
    )
  }

  function updates(values: Node[]): string[] {
    return values.flatMap((value) => columnsOf(value)).map((column) => `update (${snake(column)})`)
  }

  function callsIn(nodes: Node[], method: string): Node[] {
    return nodes.flatMap((node) => [
      ...(node.type === 'CallExpression' && methodOf(node) === method ? [node] : []),
      ...callsIn(childrenOf(node), method),
    ])
  }

  /** The columns that an object, or a function that returns one, sets. */
  function columnsOf(node: Node | undefined): string[] {
    switch (node?.type) {
      case 'ObjectExpression':
        return nodesIn(node, 'properties').flatMap((one) =>
          one.type === 'SpreadElement' ? columnsOf(field(one, 'argument')) : [nameOf(field(one, 'key'))],
        )
      case 'ArrowFunctionExpression':
        return columnsOf(field(node, 'body'))
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
        return columnsOf(field(node, 'expression'))
      case 'LogicalExpression':
        return [...columnsOf(field(node, 'left')), ...columnsOf(field(node, 'right'))]
      case 'ConditionalExpression':
        return [...columnsOf(field(node, 'consequent')), ...columnsOf(field(node, 'alternate'))]
      case 'Identifier':
        return columnsOfName(node)
      default:
        throw new Error(`${file}: write out the columns that the statement at ${node?.start ?? 0} sets.`)
    }
  }

  /** A name: a constant of an object, or a parameter whose type is written out. */
  function columnsOfName(name: Node): string[] {
    for (let at: Node | undefined = name; at !== undefined; at = parents.get(at)) {
      for (const parameter of nodesIn(at, 'params')) {
        const type = field(field(parameter, 'typeAnnotation'), 'typeAnnotation')
        const found = named(parameter, name, () => columnsOfType(type))
        if (found !== undefined) return found
      }
      for (const declared of nodesIn(at, 'body').flatMap((one) => nodesIn(one, 'declarations'))) {
        const found = named(field(declared, 'id'), name, () => columnsOf(field(declared, 'init')))
        if (found !== undefined) return found
      }
    }
    throw new Error(`${file}: write out the columns of ${String(name.name)}.`)
  }

  /** The columns of a name in a pattern: all columns of `whole`, or those that the pattern does not name. */
  function named(pattern: Node | undefined, name: Node, whole: () => string[]): string[] | undefined {
    if (pattern?.type === 'Identifier') return pattern.name === name.name ? whole() : undefined
    const properties = nodesIn(pattern, 'properties')
    const rest = properties.find((one) => one.type === 'RestElement')
    if (rest === undefined || nameOf(field(rest, 'argument')) !== name.name) return undefined
    const taken = properties.map((one) => nameOf(field(one, 'key')))
    return whole().filter((column) => !taken.includes(column))
  }

  function columnsOfType(type: Node | undefined): string[] {
    if (type?.type === 'TSTypeLiteral') return nodesIn(type, 'members').map((member) => nameOf(field(member, 'key')))
    if (type?.type === 'TSUnionType' || type?.type === 'TSIntersectionType')
      return nodesIn(type, 'types').flatMap(columnsOfType)
    const alias = all.find(
      (node) => node.type === 'TSTypeAliasDeclaration' && nameOf(field(node, 'id')) === nameOf(field(type, 'typeName')),
    )
    if (type?.type === 'TSTypeReference' && alias !== undefined) return columnsOfType(field(alias, 'typeAnnotation'))
    throw new Error(`${file}: write out the type at ${type?.start ?? 0}, whose columns are set.`)
  }
}

const nameOf = (node: Node | undefined): string => String(node?.name ?? node?.value ?? '')
const methodOf = (call: Node): string | undefined => {
  const callee = field(call, 'callee')
  return callee?.type === 'MemberExpression' ? nameOf(field(callee, 'property')) : undefined
}

/** The table that a call of Kysely names first. */
function namedTable(node: Node): string | undefined {
  if (node.type !== 'CallExpression') return undefined
  const naming =
    /^(selectFrom|insertInto|updateTable|deleteFrom|(inner|left|right|full|cross)(Lateral)?Join|from|using)$/
  const [first] = nodesIn(node, 'arguments')
  if (!naming.test(methodOf(node) ?? '') || typeof first?.value !== 'string') return undefined
  return snake(first.value.split(' ')[0] ?? '')
}

/** The text of a string or of a template without a tag. */
const plainText = (node: Node): string =>
  node.type === 'TemplateLiteral' ? templateText(node) : node.type === 'Literal' ? String(node.value) : ''

/** The text of a template; `?` for each expression. */
const templateText = (quasi: Node | undefined): string =>
  nodesIn(quasi, 'quasis')
    .map((part) => (part.value as { cooked: string }).cooked)
    .join(' ? ')

/** The same for a statement, or the body of a function, in SQL. */
export function usedBySql(sql: string): Set<string> {
  const text = sql
    .replaceAll(/--.*$/gm, ' ')
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/\bpublic\./g, '')
    .replaceAll(/\s+/g, ' ')
  const used = new Set<string>()
  const sets = (table: string, from: number) => {
    for (const column of assigned(text.slice(from))) used.add(`${table} update (${column})`)
  }
  for (const found of text.matchAll(/\binsert into (\w+)/g)) {
    used.add(`${found[1]} insert`)
    const rest = text.slice(found.index, endOfStatement(text, found.index))
    const conflict = /\bon conflict\b/.exec(rest)
    if (conflict !== null || /\breturning\b/.test(rest)) used.add(`${found[1]} select`)
    const merge = /\bdo update set\b/.exec(rest)
    if (merge !== null) sets(found[1] ?? '', found.index + merge.index + merge[0].length)
  }
  for (const found of text.matchAll(/\bupdate (\w+)(?: (?:as )?(?!set\b)\w+)? set\b/g)) {
    used.add(`${found[1]} select`)
    sets(found[1] ?? '', found.index + found[0].length)
  }
  for (const found of text.matchAll(/\bdelete from (\w+)/g)) {
    used.add(`${found[1]} delete`)
    used.add(`${found[1]} select`)
  }
  for (const found of text.matchAll(/(?<!delete )\b(?:from|join|using) (\w+)/g)) used.add(`${found[1]} select`)
  for (const found of text.matchAll(/\bfor (?:no key )?(?:update|share|key share)\b(?: of (\w+))?/g)) {
    const before = text.slice(0, found.index)
    const named = found[1] === undefined ? '(\\w+)' : `(\\w+) (?:as )?${found[1]}\\b`
    const table = [...before.matchAll(new RegExp(`\\b(?:from|join) ${named}`, 'g'))].at(-1)?.[1] ?? found[1]
    used.add(`${table} lock`)
  }
  return used
}

/** Where the statement that begins at `start` ends: at a semicolon, or at the parenthesis that closes around it. */
function endOfStatement(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth < 0 || (depth === 0 && text[at] === ';')) return at
  }
  return text.length
}

/** The columns before `=` in the assignments with which `text` begins. */
function assigned(text: string): string[] {
  const columns: string[] = []
  let depth = 0
  let part = ''
  const take = () => {
    const column = /^\s*(\w+)\s*=/.exec(part)?.[1]
    if (column !== undefined) columns.push(column)
    part = ''
  }
  for (const [word] of text.matchAll(/\w+|\s+|[^\w\s]/g)) {
    if (word === '(') depth += 1
    if (word === ')') depth -= 1
    if (depth < 0 || (depth === 0 && /^(where|from|returning|;)$/.test(word))) break
    if (depth === 0 && word === ',') take()
    else part += word
  }
  take()
  return columns
}
