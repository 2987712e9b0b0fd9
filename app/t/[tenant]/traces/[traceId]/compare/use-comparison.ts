'use client'

import { useCallback, useMemo, useState } from 'react'
import { countOf, nextAfter, rowsThatLead } from '#components/traces/model/span-filter.ts'
import { at, visibleRows } from '#components/traces/model/span-tree.ts'
import { useAddressValue } from '#components/traces/use-address-value.ts'
import { align } from './align.ts'
import { ADDED, DIFFERENT, differences, leadsToDifference, MISSING } from './difference.ts'
import type { Loaded } from './use-loaded.ts'

export const kindsOfRow = ['different', 'added', 'missing', 'changed', 'errors'] as const
export type Only = (typeof kindsOfRow)[number]

/** The aligned tree with its rows, selection, folding and filter. All but the folds by hand are in the address. */
export function useComparison(left: Loaded, right: Loaded) {
  const [selectedId, selectId] = useAddressValue('span')
  const [onlyWord, setOnlyWord] = useAddressValue('only')
  const [text = '', setText] = useAddressValue('q')
  const [unfolded, setUnfolded] = useAddressValue('unfolded')
  /** Rows that the reader folded or unfolded. All others are folded if nothing in them differs. */
  const [byHand, setByHand] = useState<ReadonlyMap<number, boolean>>(new Map())
  const aligned = useMemo(() => align(left, right), [left, right])
  const found = useMemo(() => differences(aligned, left, right), [aligned, left, right])
  const leads = useMemo(() => leadsToDifference(aligned, found), [aligned, found])
  const only = kindsOfRow.find((one) => one === onlyWord)

  const spansAt = useCallback(
    (row: number) => ({ one: left.spans[at(aligned.left, row)], other: right.spans[at(aligned.right, row)] }),
    [aligned, left, right],
  )
  const isError = useCallback(
    (row: number) => Object.values(spansAt(row)).some((span) => span?.status === 'error'),
    [spansAt],
  )
  const matches = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    if (only === undefined && wanted === '') return undefined
    const is = (row: number, bits: number): boolean => {
      switch (only) {
        case undefined:
          return true
        case 'different':
          return (bits & DIFFERENT) !== 0
        case 'added':
          return (bits & ADDED) !== 0
        case 'missing':
          return (bits & MISSING) !== 0
        case 'changed':
          return (bits & DIFFERENT & ~ADDED & ~MISSING) !== 0
        case 'errors':
          return isError(row)
      }
    }
    const named = (row: number) =>
      Object.values(spansAt(row)).some((span) => span?.name.toLowerCase().includes(wanted) === true)
    return Uint8Array.from(found, (bits, row) => (is(row, bits) && (wanted === '' || named(row)) ? 1 : 0))
  }, [found, only, text, isError, spansAt])
  const isFolded = useCallback(
    (row: number) => matches === undefined && (byHand.get(row) ?? (unfolded === undefined && leads[row] !== 1)),
    [matches, byHand, unfolded, leads],
  )
  const rows = useMemo(
    () =>
      matches === undefined
        ? visibleRows(aligned, isFolded)
        : rowsThatLead(
            visibleRows(aligned, () => false),
            aligned,
            matches,
          ),
    [aligned, isFolded, matches],
  )
  // A span of the second trace by its id, one that only the first has with a minus before it.
  const idAt = useCallback(
    (row: number) => {
      const { one, other } = spansAt(row)
      return other?.spanId ?? (one && `-${one.spanId}`)
    },
    [spansAt],
  )
  const selected = useMemo(() => {
    const row = selectedId === undefined ? -1 : aligned.spanAt.findIndex((one) => idAt(one) === selectedId)
    return row < 0 ? undefined : row
  }, [aligned, idAt, selectedId])

  /** Unfolds what is above the row and selects it. */
  function reveal(row: number): void {
    const opened = new Map(byHand)
    for (let above = at(aligned.parent, row); above >= 0; above = at(aligned.parent, above))
      if (isFolded(above)) opened.set(above, false)
    setByHand(opened)
    selectId(idAt(row))
  }
  const next = (is: (row: number) => boolean) => {
    const row = nextAfter(aligned, selected ?? -1, is)
    if (row !== undefined) reveal(row)
    return row !== undefined
  }

  return {
    aligned,
    found,
    rows,
    isFolded,
    spansAt,
    selected,
    reveal,
    select: (row: number) => selectId(idAt(row)),
    deselect: () => selectId(undefined),
    fold: (row: number, fold: boolean) => setByHand(new Map(byHand).set(row, fold)),
    only,
    toggleOnly: (value: Only) => setOnlyWord(only === value ? undefined : value),
    text,
    setText: (value: string) => setText(value === '' ? undefined : value),
    foldsSame: unfolded === undefined,
    toggleFolds() {
      setByHand(new Map())
      setUnfolded(unfolded === undefined ? '1' : undefined)
    },
    /** Number of matching rows; undefined without filters. */
    matching: useMemo(() => (matches === undefined ? undefined : countOf(matches)), [matches]),
    nextDifference: () => next((row) => (bitsAt(found, row) & DIFFERENT) !== 0),
    nextError: () => next(isError),
  }
}

/** For reads inside the bounds. */
export const bitsAt = (bits: Uint16Array, row: number): number => bits[row] ?? 0

export type ComparisonState = ReturnType<typeof useComparison>
