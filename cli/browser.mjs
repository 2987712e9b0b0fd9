import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser of the end-to-end tests: CHROMIUM_PATH, otherwise an installed one, otherwise Debian's if this is root. */
export function findBrowser() {
  const found = [process.env.CHROMIUM_PATH, ...places].find((path) => path !== undefined && existsSync(path))
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stdout.write('Installing Chromium from Debian’s packages…\n')
    const apt = (...args) =>
      execFileSync('apt-get', args, {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      })
    apt('update', '-q')
    apt('install', '-y', '-q', '--no-install-recommends', 'chromium')
    if (existsSync('/usr/bin/chromium')) return '/usr/bin/chromium'
  }
  return undefined
}
