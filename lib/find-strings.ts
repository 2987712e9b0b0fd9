/** Returns the position of the first of the strings, in their own order, that `text` contains; -1 if it contains none. */
export type FindStrings = (text: string) => number

const none = -1
const root = 0

/**
 * Searches for all strings in one pass over a text (Aho and Corasick, 1975), however many strings there are. Both the strings and
 * the texts can come from callers: searching for each string separately takes seconds for a few thousand of each.
 */
export function stringFinder(strings: readonly string[]): FindStrings {
  if (strings.length === 0) return () => none
  const trie = buildTrie(strings)
  const { edges, nodes } = trie
  const fallback = new Int32Array(nodes)
  // A node is created after its parent, but not after all shorter ones, so the nodes are visited by their depth.
  for (const node of byDepth(trie)) {
    const parent = trie.parent[node] ?? root
    if (parent === root) continue
    const unit = trie.unit[node] ?? 0
    fallback[node] = step(edges, fallback, fallback[parent] ?? root, unit)
    trie.first[node] = earlier(trie.first[node] ?? none, trie.first[fallback[node] ?? root] ?? none)
  }
  return (text) => {
    let found = none
    let node = root
    for (let at = 0; at < text.length && found !== 0; at++) {
      node = step(edges, fallback, node, text.charCodeAt(at))
      found = earlier(found, trie.first[node] ?? none)
    }
    return found
  }
}

const earlier = (one: number, other: number): number =>
  one === none ? other : other === none ? one : Math.min(one, other)

type Trie = {
  nodes: number
  edges: Edges
  /** By node: its parent, the code unit that leads to it, and the first string that ends at it. */
  parent: Int32Array
  unit: Uint16Array
  first: Int32Array
}

function buildTrie(strings: readonly string[]): Trie {
  const most = strings.reduce((sum, one) => sum + one.length, 1)
  const trie: Trie = {
    nodes: 1,
    edges: new Edges(most),
    parent: new Int32Array(most),
    unit: new Uint16Array(most),
    first: new Int32Array(most).fill(none),
  }
  for (const [index, text] of strings.entries()) {
    let node = root
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const next = trie.edges.get(node, unit)
      if (next !== none) node = next
      else {
        trie.edges.set(node, unit, trie.nodes)
        trie.parent[trie.nodes] = node
        trie.unit[trie.nodes] = unit
        node = trie.nodes++
      }
    }
    if (trie.first[node] === none) trie.first[node] = index
  }
  return trie
}

/** All nodes except the root, parents and shorter ones first: a counting sort. */
function byDepth({ nodes, parent }: Trie): Int32Array {
  const depth = new Int32Array(nodes)
  for (let node = 1; node < nodes; node++) depth[node] = (depth[parent[node] ?? root] ?? 0) + 1
  const starts = new Int32Array(nodes + 1)
  for (let node = 1; node < nodes; node++) starts[depth[node] ?? 0] = (starts[depth[node] ?? 0] ?? 0) + 1
  let before = 0
  for (let level = 0; level <= nodes; level++) {
    const here = starts[level] ?? 0
    starts[level] = before
    before += here
  }
  const sorted = new Int32Array(nodes - 1)
  for (let node = 1; node < nodes; node++) {
    const level = depth[node] ?? 0
    const place = starts[level] ?? 0
    sorted[place] = node
    starts[level] = place + 1
  }
  return sorted
}

/** The node after reading `unit`: the longest ending of the text that is the beginning of a string. */
function step(edges: Edges, fallback: Int32Array, from: number, unit: number): number {
  for (let node = from; ; node = fallback[node] ?? root) {
    const next = edges.get(node, unit)
    if (next !== none) return next
    if (node === root) return root
  }
}

/** (node, code unit) → node: a hash table in two arrays, because an object for each node would take far more memory. */
class Edges {
  readonly #mask: number
  readonly #keys: Float64Array
  readonly #values: Int32Array

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(most * 2 + 2))
    this.#mask = size - 1
    this.#keys = new Float64Array(size).fill(none)
    this.#values = new Int32Array(size)
  }

  get(node: number, unit: number): number {
    const key = node * 65_536 + unit
    for (let slot = this.#slotOf(node, unit); ; slot = (slot + 1) & this.#mask) {
      const found = this.#keys[slot]
      if (found === key) return this.#values[slot] ?? none
      if (found === none) return none
    }
  }

  set(node: number, unit: number, value: number): void {
    let slot = this.#slotOf(node, unit)
    while (this.#keys[slot] !== none) slot = (slot + 1) & this.#mask
    this.#keys[slot] = node * 65_536 + unit
    this.#values[slot] = value
  }

  /** Seeded, so that a caller can't choose strings whose edges share their slots. */
  #slotOf(node: number, unit: number): number {
    const mixed = Math.imul(Math.imul(node ^ seed, 0x9e3779b1) ^ unit, 0x85ebca6b)
    return (mixed ^ (mixed >>> 15)) & this.#mask
  }
}

const seed = Math.floor(Math.random() * 2 ** 32)
