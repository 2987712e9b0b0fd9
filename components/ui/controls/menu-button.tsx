'use client'

import {
  type ButtonHTMLAttributes,
  type ComponentType,
  cloneElement,
  type ReactElement,
  useEffect,
  useRef,
  useState,
} from 'react'
import type { Menu as MenuType } from './menu.tsx'

type Loaded<Props extends object> = { Menu: typeof MenuType; Content: ComponentType<Props> }

type MenuButtonProps<Props extends object> = {
  /** The button that opens the menu, without listeners. */
  trigger: ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>
  align?: 'start' | 'end'
  /** Loads the items, and with them the menu's code, which a page does not need until someone turns to the button. */
  load: () => Promise<ComponentType<Props>>
  props: Props
}

/** The keys that open a menu, as in Radix. */
const OPENING_KEYS = ['Enter', ' ', 'ArrowDown']

/**
 * A menu whose code (24 KB) is loaded when its button gets the pointer or the focus. The press that finds it not yet in place is
 * repeated on the menu's own button, so that one press opens the menu, by keyboard at its first item.
 */
export function MenuButton<Props extends object>({ trigger, align, load, props }: MenuButtonProps<Props>) {
  const [loaded, setLoaded] = useState<Loaded<Props>>()
  const loading = useRef<Promise<Loaded<Props> | undefined>>(undefined)
  const place = useRef<HTMLSpanElement>(null)
  const press = useRef<Event>(undefined)

  const start = () => {
    loading.current ??= Promise.all([import('./menu.tsx'), load()]).then(
      ([{ Menu }, Content]) => ({ Menu, Content }),
      () => {
        // Without a connection. The next press tries again.
        loading.current = undefined
        return undefined
      },
    )
    return loading.current
  }
  const open = (event: Event) => {
    press.current = event
    void start().then((code) => code && setLoaded(code))
  }

  // After the effects of the menu, which listens for the keyboard from then on.
  useEffect(() => {
    const button = place.current?.querySelector('button')
    if (loaded === undefined || !button || !press.current) return
    button.focus()
    button.dispatchEvent(press.current)
    press.current = undefined
  }, [loaded])

  return (
    <span ref={place} className="contents">
      {loaded === undefined ? (
        cloneElement(trigger, {
          'aria-haspopup': 'menu',
          'aria-expanded': false,
          onPointerEnter: () => void start(),
          onFocus: () => void start(),
          onPointerDown: (event) => {
            const { button, ctrlKey, pointerType } = event.nativeEvent
            if (button !== 0 || ctrlKey) return
            // As Radix does: the mouse events of this press would take the focus from a menu that is open by then, and close it.
            event.preventDefault()
            open(new PointerEvent('pointerdown', { bubbles: true, cancelable: true, button, pointerType }))
          },
          onKeyDown: (event) => {
            if (!OPENING_KEYS.includes(event.key)) return
            event.preventDefault()
            open(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, key: event.key }))
          },
        })
      ) : (
        <loaded.Menu trigger={trigger} {...(align === undefined ? {} : { align })}>
          <loaded.Content {...props} />
        </loaded.Menu>
      )}
    </span>
  )
}
