import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/**
 * Chromium’s headless shell has the same engine, without the browser of the desktop around it: tests need half of the processor time.
 */
const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Returns the path of the browser that tests use: CHROMIUM_PATH, otherwise an installed one. */
export const installedBrowser = () =>
  [process.env.CHROMIUM_PATH, ...places].find((path) => path !== undefined && existsSync(path))

/** Returns the installed browser. If there is none, installs Debian’s if this process is root. */
export function findBrowser() {
  const found = installedBrowser()
  if (found !== undefined) return found
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  process.stdout.write('Installing Chromium from Debian’s packages…\n')
  apt('update', '-q')
  try {
    apt('install', '-y', '-q', '--no-install-recommends', 'chromium-headless-shell')
  } catch {
    // Older distributions do not have this package.
    apt('install', '-y', '-q', '--no-install-recommends', 'chromium')
  }
  return installedBrowser()
}

function apt(...args) {
  execFileSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}
