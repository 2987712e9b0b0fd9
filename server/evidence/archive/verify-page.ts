import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'

const sourceOf = (file: string) => readFileSync(new URL(`../../../lib/${file}`, import.meta.url), 'utf8')
const importLine = "import { incrementalSha256, sha256Now } from './sha256.ts'\n"
/** Both in one module: a page on a disk can load no other file. */
const source = `${sourceOf('sha256.ts')}\n${sourceOf('verify-bundle.ts').replace(importLine, '')}`

const page = `
const input = document.querySelector('input'), list = document.querySelector('ol'), word = document.querySelector('output')
const line = ({ name, ok, detail }) => {
  const item = document.createElement('li')
  item.className = ok ? 'ok' : 'bad'
  item.textContent = (ok ? 'Holds: ' : 'DOES NOT HOLD: ') + name + '. ' + detail
  list.append(item)
}
input.addEventListener('change', async () => {
  const [file] = input.files
  if (file === undefined) return
  list.replaceChildren()
  word.textContent = 'Checking ' + file.name
  const { ok, fingerprint } = await verifyBundle(file, line, (share) => {
    word.textContent = 'Checking ' + file.name + ', ' + Math.floor(share * 100) + ' % read'
  })
  word.textContent = ok
    ? 'Everything agrees. Its key has the fingerprint ' + fingerprint + ': compare it with the one that the service publishes.'
    : 'This bundle is not valid. Do not rely on it.'
})
`
const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
li{margin:.25rem 0}.bad{font-weight:bold}output{display:block;margin:1rem 0;font-weight:bold;overflow-wrap:anywhere}`

/** An operator can do nothing about Node's warning that this is experimental; its version is pinned. */
function withoutTypes(text: string): string {
  const emit = process.emitWarning
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emit
  }
}

let built: string | undefined

/**
 * Returns verify.html of every archive: checks one that is chosen, in the browser, from file:// and without a network. Its sources
 * are read at the start. It is built for the first archive, because Node’s compiler is a quarter of a start’s processor time.
 */
export function verifyPage(): string {
  built ??= buildPage(withoutTypes(source))
  return built
}

function buildPage(checks: string): string {
  const script = `\n${checks}\n${page}`
  const digest = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`
  const policy = `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Verify an evidence bundle</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Verify an evidence bundle</h1>
<p>Choose the ZIP in which this page came. It is read in this browser; nothing is sent anywhere.</p>
<p><label>Bundle (ZIP) <input type="file" accept=".zip"></label></p>
<output></output>
<ol></ol>
<p>README.txt says how to check the same with sha256sum and openssl.</p>
</main>
<script type="module">${script}</script>
</body>
</html>
`
}
