import type { BoundType, KnownRow, StoredState } from './types.ts'

const keyOf = (type: string, id: string): string => `${type} ${id}`

/**
 * Rows that this process has written and knows, from the write that bound them to the next one, so that it need not read them in between.
 * What anyone else does to them is found out: by another transaction of the service, because it binds a later state, and the next write
 * fails; by SQL, unless the next write replaces it, because that binds what this process knows, and rows are compared when they are read.
 */
export function ownRows() {
  const rows = new Map<string, { row: string; state: StoredState }>()
  return {
    /** Keeps what a known write has written, once it is bound. */
    keep(written: readonly KnownRow[], states: readonly StoredState[]): void {
      const byKey = new Map(states.map((state) => [keyOf(state.type, state.id), state]))
      for (const { bound, id, row } of written) {
        const state = byKey.get(keyOf(bound.type, id))
        if (state !== undefined) rows.set(keyOf(bound.type, id), { row, state })
      }
    },
    /** A row and its state, as the last write left them. Throws for a row that was not kept. */
    last({ type }: BoundType, id: string): { row: string; before: StoredState } {
      const found = rows.get(keyOf(type, id))
      if (found === undefined) throw new Error(`This process has not written ${type} ${id}.`)
      return { row: found.row, before: found.state }
    },
  }
}

export type OwnRows = ReturnType<typeof ownRows>
