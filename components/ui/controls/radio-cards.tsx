'use client'

import { type ReactNode, useId } from 'react'
import { classNames } from '#components/ui/text/class-names.ts'
import { Kbd } from './kbd.tsx'

export type RadioCard<Value extends string> = {
  value: Value
  label: string
  /** The consequence of choosing it, in one line. */
  consequence: ReactNode
  /** Why it can't be chosen; replaces the consequence and is announced with the option. */
  disabledReason?: ReactNode
  /** The key that selects it, if the page handles one. */
  shortcut?: string
}

type RadioCardsProps<Value extends string> = {
  legend: string
  options: RadioCard<Value>[]
  /** Undefined until an option is chosen. Options are never preselected. */
  value: Value | undefined
  onChange: (value: Value) => void
  /** Called after an option was pressed with a mouse: where no keyboard of the screen opens, the next field can get the focus. */
  onPick?: (() => void) | undefined
  /** Locked while a call is in progress. */
  locked?: boolean
}

/** A choice among a few options, each with its consequence. */
export function RadioCards<Value extends string>(props: RadioCardsProps<Value>) {
  const { legend, options, value, onChange, onPick, locked = false } = props
  const name = useId()
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1.5 font-semibold text-dense">{legend}</legend>
      <div className="border border-line-strong bg-raised">
        {options.map((option) => (
          <Card
            key={option.value}
            name={name}
            option={option}
            checked={option.value === value}
            blocked={locked || option.disabledReason !== undefined}
            onSelect={() => onChange(option.value)}
            onPick={onPick}
          />
        ))}
      </div>
    </fieldset>
  )
}

function Card<Value extends string>(props: {
  name: string
  option: RadioCard<Value>
  checked: boolean
  blocked: boolean
  onSelect: () => void
  onPick: (() => void) | undefined
}) {
  const { name, option, checked, blocked, onSelect, onPick } = props
  const id = useId()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys move among the options, and must not leave them.
    <label
      htmlFor={id}
      onClick={({ nativeEvent }) => {
        // The browser then focuses the option. Touch, keys and screen readers press without a mouse.
        if (
          !blocked &&
          nativeEvent instanceof PointerEvent &&
          nativeEvent.pointerType === 'mouse' &&
          onPick !== undefined
        )
          requestAnimationFrame(onPick)
      }}
      className={classNames(
        'grid grid-cols-[1.5rem_minmax(0,1fr)_auto] gap-x-2 border-line-strong border-t border-l-3 py-2 pr-2.5 pl-2 first:border-t-0 hover:bg-selected',
        checked ? 'border-l-primary bg-selected' : 'border-l-transparent',
        blocked && 'cursor-not-allowed',
      )}
    >
      <input
        id={id}
        type="radio"
        name={name}
        value={option.value}
        checked={checked}
        // Not `disabled`: the option must be reachable, so that its reason can be found.
        aria-disabled={blocked || undefined}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-consequence`}
        onChange={() => {
          if (!blocked) onSelect()
        }}
        className="check-mark radio"
      />
      <span className="flex flex-col">
        <span id={`${id}-label`} className={option.disabledReason === undefined ? 'text-ink' : 'text-ink-3'}>
          {option.label}
        </span>
        <span id={`${id}-consequence`} className="text-dense text-ink-2">
          {option.disabledReason ?? option.consequence}
        </span>
      </span>
      {option.shortcut && (
        <span aria-hidden="true" className="self-start text-ink-2">
          <Kbd>{option.shortcut}</Kbd>
        </span>
      )}
    </label>
  )
}
