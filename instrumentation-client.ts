import { setNonce } from 'get-nonce'
import { showStoredTheme } from '#components/layout/theme.ts'
import { installLeaveGuard } from '#components/navigation/leave-guard.ts'

type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string | undefined }): unknown
}

declare global {
  interface Window {
    trustedTypes?: TrustedTypes
  }
}

// The page's policy enforces Trusted Types. The bundler's loader sets `script.src` from plain strings, which the
// policy named "default" checks: it accepts only files of our build, and no HTML or script text at all.
window.trustedTypes?.createPolicy('default', {
  createScriptURL(url) {
    const { origin, pathname } = new URL(url, window.location.origin)
    // Returned unchanged: the loader identifies its chunks by the attribute's text, and would wait forever for another spelling.
    return origin === window.location.origin && pathname.startsWith('/_next/static/') ? url : undefined
  },
})

// Radix locks scrolling behind a dialog with a style element, for which the policy requires a nonce.
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce
if (nonce) setNonce(nonce)

showStoredTheme()
installLeaveGuard()
// Not needed to show a page.
window.addEventListener(
  'load',
  () =>
    void import('#components/navigation/later.ts').then(
      ({ watchPage }) => watchPage(),
      () => undefined,
    ),
)
