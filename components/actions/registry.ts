'use client'

import { useLayoutEffect, useRef } from 'react'
import { isTyping, singleKeys } from '#components/keyboard/single-keys.ts'
import * as t from '#components/texts/shell/en.ts'

/**
 * What a person can do here and now. The palette, the help and the keyboard offer the same actions from this registry, so that none
 * of them can lag behind a page.
 */
export type Action = {
  /** A command: "Approve the selected requests". */
  title: string
  /** A key without Ctrl or Alt, as in `KeyboardEvent.key`, in lower case; with Shift: `shift+x`. */
  key?: string
  /** Only by its key, such as moving between rows. */
  keyOnly?: true
  /** Why it can't be done now. Its key does nothing. */
  blocked?: string | undefined
  run: () => void
}

type Source = () => readonly Action[]

// Owned by this module: the pages that are shown, the last one to appear first.
const sources: Source[] = []

/** Registers what a page offers for as long as it is shown. A key works as soon as the page shows its control. */
export function useActions(actions: readonly Action[]): void {
  const latest = useRef(actions)
  useLayoutEffect(() => {
    latest.current = actions
  })
  useLayoutEffect(() => {
    const source: Source = () => latest.current
    sources.unshift(source)
    return () => void sources.splice(sources.indexOf(source), 1)
  }, [])
}

/** Everything that is offered now. */
export const offeredActions = (): Action[] => sources.flatMap((source) => source())

/** A character within this time of one that was typed belongs to the same text, in milliseconds. */
const pauseMs = 1000

// Owned by this module: the last character that was typed into a field, or that did nothing.
let typed: { at: number; field: Element | undefined } | undefined

/**
 * Runs the action whose key was pressed. Nothing while a person types, and with single keys turned off. A character that did nothing, or
 * went to a field that is gone, begins a text: the next ones are a part of it until a pause, or a key that ends a text (not Shift or
 * Backspace), so that a reason typed before the page was ready does not choose a decision.
 */
export function runByKey(event: KeyboardEvent): void {
  if (singleKeys.get() === 'off' || event.defaultPrevented) return
  const isCharacter = event.key.length === 1
  if (isTyping(event)) {
    if (isCharacter && event.target instanceof Element) typed = { at: event.timeStamp, field: event.target }
    return
  }
  const goesOn =
    isCharacter && typed !== undefined && event.timeStamp - typed.at < pauseMs && typed.field?.isConnected !== true
  const key = event.key.toLowerCase()
  const action = goesOn
    ? undefined
    : offeredActions().find((one) => one.key === (event.shiftKey && isLetter(key) ? `shift+${key}` : key))
  const runs = action !== undefined && action.blocked === undefined
  if (isCharacter && !runs) typed = { at: event.timeStamp, field: undefined }
  else if (runs || /^(?:Escape|Enter|Tab|Arrow)/.test(event.key)) typed = undefined
  if (!runs) return
  // The key itself must not be typed into a field that gets the focus.
  event.preventDefault()
  action.run()
}

const isLetter = (key: string): boolean => /^[a-z]$/.test(key)

/** The keys of an action as printed on the keyboard. */
export const keysOf = (key: string): string[] =>
  key
    .split('+')
    .map((part) =>
      part === 'escape' ? t.escapeKey : part === 'shift' ? t.shift : part.charAt(0).toUpperCase() + part.slice(1),
    )
