'use client'

import { type ComponentType, useLayoutEffect, useState } from 'react'
import * as t from '#components/texts/shell/en.ts'
import { Kbd } from '#components/ui/controls/kbd.tsx'
import { SearchIcon } from '#components/ui/status/icons.tsx'
import { runByKey, useActions } from './registry.ts'

type FindProps = { tenant: string; onSignOut: (() => void) | undefined }

type Shown = 'palette' | 'help' | undefined

/** The button of the palette, and the keys of the whole console: those of the page, Ctrl K, and ? for help. */
export function Find({ tenant, onSignOut }: FindProps) {
  const [shown, setShown] = useState<Shown>()
  const [Palette, loadPalette] = useLoaded(() => import('./palette.tsx').then((module) => module.Palette))
  const [Help, loadHelp] = useLoaded(() => import('./help.tsx').then((module) => module.Help))
  const open = (what: 'palette' | 'help') => {
    if (what === 'palette') loadPalette()
    else loadHelp()
    setShown(what)
  }
  useActions([{ title: t.showKeys, key: '?', run: () => open('help') }])
  // With the same drawing as the button: an effect after it runs when the browser is idle, and keys pressed until then would be lost.
  useLayoutEffect(() => {
    function press(event: KeyboardEvent) {
      if (isPaletteKey(event)) {
        event.preventDefault()
        open('palette')
      } else runByKey(event)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
  const close = () => setShown(undefined)
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onPointerEnter={loadPalette}
        onFocus={loadPalette}
        onClick={() => open('palette')}
        className="inline-flex min-h-9 min-w-9 items-center justify-center gap-2 px-2 text-ink-2 hover:bg-selected rail:min-w-72 rail:justify-start rail:border rail:border-line-strong rail:bg-surface"
      >
        <SearchIcon />
        <span className="max-rail:sr-only">{t.find}</span>
        <span aria-hidden="true" className="ml-auto hidden rail:inline-flex">
          <Kbd>{`${modifier()} K`}</Kbd>
        </span>
      </button>
      <button
        type="button"
        aria-label={t.keysOfPage}
        aria-haspopup="dialog"
        onPointerEnter={loadHelp}
        onFocus={loadHelp}
        onClick={() => open('help')}
        className="inline-grid size-9 place-items-center hover:bg-selected max-rail:hidden rail:ml-auto"
      >
        <Kbd>?</Kbd>
      </button>
      {Palette && <Palette tenant={tenant} open={shown === 'palette'} onClose={close} onSignOut={onSignOut} />}
      {Help && <Help open={shown === 'help'} onClose={close} />}
    </>
  )
}

/** A component that is loaded when it is needed. Without a connection it is missing until the next attempt. */
function useLoaded<Props>(load: () => Promise<ComponentType<Props>>) {
  const [Loaded, setLoaded] = useState<ComponentType<Props>>()
  const start = () => {
    if (Loaded === undefined)
      void load().then(
        (component) => setLoaded(() => component),
        () => undefined,
      )
  }
  return [Loaded, start] as const
}

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (ctrlKey || metaKey) && !altKey && !shiftKey

const isMac = (): boolean => typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)
const modifier = () => (isMac() ? '⌘' : t.control)
