import { hash } from 'node:crypto'
import { scripts } from './verifier-scripts.ts'

/** The verifiers of every archive. */
export type Verifiers = {
  /** verify.html checks an archive that is chosen in it, in a browser, from file:// and without a network. */
  page: string
  /** verify.mjs does the same for Node on a command line. */
  command: string
}

let built: Verifiers | undefined
export function verifiers(): Verifiers {
  if (built === undefined) {
    const { page, command } = scripts()
    built = { page: buildPage(page), command: buildCommand(command) }
  }
  return built
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:1.5rem 0 0}p{margin:.25rem 0}ul{margin:.25rem 0;padding-left:1.25rem}
label{display:block;margin:.75rem 0 .25rem}input{font:inherit;max-width:100%}#fingerprint,#witness{width:100%;box-sizing:border-box}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{font-weight:bold}dd{margin:0;overflow-wrap:anywhere}
li{margin:.25rem 0;overflow-wrap:anywhere}.fails{font-weight:bold}output{display:block;margin:1.5rem 0;font-weight:bold}
.ladder{list-style:none;padding:0;font:.8125rem/1.5 ui-monospace,monospace}.ladder li{display:flex;gap:.5rem;justify-content:center;margin:0}
.ladder li+li{border-top:1px solid;margin:.5rem 12% 0;padding-top:.5rem}.ladder span{flex:1 1 0;min-width:0;max-width:22rem;padding:.125rem .375rem;border:1px dashed}
.ladder .computed{border-style:solid;font-weight:bold}#ladder p{font-size:.875rem}
@media(max-width:30rem){.ladder li{flex-direction:column}.ladder li+li{margin:.5rem 0 0}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}}`

function buildPage(modules: string): string {
  const script = `\n${modules}\nstartPage()\n`
  const digest = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`
  const policy = `default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>Verify an evidence archive</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Verify an evidence archive</h1>
<p>Choose the ZIP in which this page came. It is read in this browser; nothing is sent anywhere.</p>
<p><label for="archive">Archive (ZIP)</label><input id="archive" type="file" accept=".zip"></p>
<p><label for="fingerprint">Fingerprint of the service’s key, as you know it from elsewhere: 64 hexadecimal digits or twelve words (optional)</label>
<input id="fingerprint" autocomplete="off" spellcheck="false"></p>
<p><label for="keys">The service’s log-keys.json (optional)</label><input id="keys" type="file" accept=".json"></p>
<p><label for="adjacent">The archive made directly before or after this one (optional)</label><input id="adjacent" type="file" accept=".zip"></p>
<p><label for="authority">The certificate of the time-stamping authority (optional)</label><input id="authority" type="file" accept=".pem,.crt,.cer"></p>
<p><label for="witness">Key of a witness, as you know it from elsewhere: name+id+base64 (optional)</label>
<input id="witness" autocomplete="off" spellcheck="false"></p>
<dl id="about"></dl>
<output id="conclusion"></output>
<div id="verdicts"></div>
<div id="ladder"></div>
<p>README.txt describes how to check the same with other programs.</p>
</main>
<script type="module">${script}</script>
</body>
</html>
`
}

const buildCommand = (modules: string): string => `${modules}
process.exitCode = await runCommand(process.argv.slice(2), (text) => process.stdout.write(text))
`
