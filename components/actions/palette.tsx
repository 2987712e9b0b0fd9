'use client'

import * as Radix from '@radix-ui/react-dialog'
import { useRouter } from 'next/navigation'
import { type KeyboardEvent, useDeferredValue, useId, useMemo, useState } from 'react'
import { keepPreviousData, useQuery } from '#components/api/query.ts'
import { useSession } from '#components/session/session-provider.tsx'
import * as t from '#components/texts/palette/en.ts'
import { useReturnedFocus } from '#components/ui/controls/returned-focus.ts'
import { limits } from '#lib/limits.ts'
import type { Found } from '#lib/schemas/lists/search.ts'
import { useTRPC } from '#lib/trpc.ts'
import { ChoiceLine } from './choice-line.tsx'
import { type Choice, choicesFor, foundChoices, type Group } from './choices.ts'

type PaletteProps = { tenant: string; open: boolean; onClose: () => void; onSignOut: (() => void) | undefined }

/** What was opened from here in this tab, the last one first. Forgotten with the page, because titles may be confidential. */
const mostRecent = 5

export function Palette({ open, onClose, ...rest }: PaletteProps) {
  const [recent, setRecent] = useState<Choice[]>([])
  const focus = useReturnedFocus()
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim appear fixed inset-0 z-40" />
        <Radix.Content
          {...focus}
          aria-describedby={undefined}
          className="appear fixed top-[10dvh] left-1/2 z-50 flex max-h-[min(34rem,80dvh)] w-[min(42rem,calc(100vw-1.5rem))] -translate-x-1/2 flex-col border border-line-strong bg-surface text-ink"
        >
          <Radix.Title className="sr-only">{t.title}</Radix.Title>
          <Chooser
            {...rest}
            recent={recent}
            onChosen={(choice) => {
              onClose()
              if (choice.found) setRecent([choice, ...recent.filter(({ id }) => id !== choice.id)].slice(0, mostRecent))
            }}
          />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

type ChooserProps = Omit<PaletteProps, 'open' | 'onClose'> & {
  recent: readonly Choice[]
  onChosen: (choice: Choice) => void
}

function Chooser({ tenant, onSignOut, recent, onChosen }: ChooserProps) {
  const router = useRouter()
  const { can } = useSession()
  const listId = useId()
  const [text, setText] = useState('')
  /** The line that an arrow key or the pointer has reached since the text changed. Without one, Enter chooses the first line. */
  const [pointed, setPointed] = useState<string>()
  const found = useFound(text)
  const current = (): Group[] =>
    [
      ...(text.trim() === '' && recent.length > 0 ? [{ title: t.openedBefore, choices: [...recent] }] : []),
      ...choicesFor(text, { tenant, can, onSignOut }),
      ...foundChoices(tenant, found.items),
    ].filter(({ choices }) => choices.length > 0)
  // The list is deferred, so that the field opens and shows what is typed first. `current` also depends on the actions of the page.
  const groups = useMemo(current, [text, recent, found.items, tenant, can, onSignOut])
  const shown = useDeferredValue(groups, none)
  const choices = shown.flatMap((group) => group.choices)
  const isShown = choices.some(({ id }) => id === pointed)
  const at = isShown ? choices.findIndex(({ id }) => id === pointed) : 0

  /** Chooses the line with this id, or the first one, as it is now: the page may have changed since it was shown. */
  function choose(id: string | undefined): void {
    const now = current().flatMap((group) => group.choices)
    const choice = id === undefined ? now[0] : now.find((one) => one.id === id)
    if (choice === undefined || choice.blocked !== undefined) return
    onChosen(choice)
    // The dialog first gives the focus back, so that a command can move it.
    setTimeout(() => ('href' in choice ? router.push(choice.href) : choice.run()))
  }
  function press(event: KeyboardEvent): void {
    const last = choices.length - 1
    const next = { ArrowDown: at >= last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1 }[event.key]
    if (next !== undefined) {
      event.preventDefault()
      setPointed(choices[next]?.id)
      document.getElementById(optionId(listId, next))?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      choose(isShown ? pointed : undefined)
    }
  }
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={t.title}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={choices.length > 0 ? optionId(listId, at) : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={limits.searchText}
        placeholder={t.placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setPointed(undefined)
        }}
        onKeyDown={press}
        className="min-h-12 shrink-0 border-line border-b bg-transparent px-4 outline-offset-[-2px] placeholder:text-ink-2"
      />
      <Options id={listId} groups={shown} at={at} onPoint={setPointed} onChoose={choose} />
      <p className="flex flex-wrap gap-x-2 border-line border-t px-4 py-2 text-dense text-ink-2">
        <span role="status">{found.status ?? (text.trim() === '' ? '' : t.results({ count: countOf(groups) }))}</span>
        {found.status === undefined && groups.length > 0 && <span>{t.keys}</span>}
      </p>
    </>
  )
}

const none: readonly Group[] = []

const countOf = (groups: readonly Group[]): number => groups.reduce((sum, { choices }) => sum + choices.length, 0)

type OptionsProps = {
  id: string
  groups: readonly Group[]
  /** The line that Enter chooses. */
  at: number
  /** Both get the id of a choice. */
  onPoint: (id: string) => void
  onChoose: (id: string) => void
}

function Options({ id, groups, at, onPoint, onChoose }: OptionsProps) {
  const choices = groups.flatMap((group) => group.choices)
  const placeOf = ({ target }: { target: EventTarget }): number => {
    const line = target instanceof Element ? target.closest('[role=option]') : null
    return choices.findIndex((_, place) => optionId(id, place) === line?.id)
  }
  let index = -1
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and handles the keys.
    <div
      id={id}
      role="listbox"
      tabIndex={-1}
      aria-label={t.found}
      onPointerMove={(event) => {
        const place = placeOf(event)
        const choice = choices[place]
        if (choice !== undefined && place !== at) onPoint(choice.id)
      }}
      onClick={(event) => {
        const choice = choices[placeOf(event)]
        if (choice !== undefined) onChoose(choice.id)
      }}
      className="min-h-0 grow overflow-y-auto pb-2"
    >
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be part of a listbox.
        <div key={group.title} role="group" aria-label={group.title}>
          <p aria-hidden="true" className="px-4 pt-3 pb-1 text-dense text-ink-2">
            {group.title}
          </p>
          {group.choices.map((choice) => {
            index += 1
            return <ChoiceLine key={choice.id} id={optionId(id, index)} choice={choice} current={index === at} />
          })}
        </div>
      ))}
    </div>
  )
}

const optionId = (listId: string, index: number): string => `${listId}-${index}`

const nothingFound: readonly Found[] = []

/** Shorter texts are only compared with commands. */
const fewest = 2

/** What the server finds for a text. What was found before stays until then. */
function useFound(text: string) {
  const trpc = useTRPC()
  const q = useDeferredValue(text.trim())
  const asked = q.length >= fewest
  const { data, error, isFetching } = useQuery(
    trpc.search.find.queryOptions({ q }, { enabled: asked, placeholderData: keepPreviousData, staleTime: 10_000 }),
  )
  const status = error !== null ? t.noAnswer : isFetching ? t.searching : undefined
  return { items: asked && data !== undefined ? data.items : nothingFound, status }
}
