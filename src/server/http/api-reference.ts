import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { sha256Base64 } from '../../base/lib/digest.ts'
import { workerFile } from '../../base/lib/worker-file.ts'
import type { Encoded } from './encoded.ts'
import type { Headers } from './respond.ts'

/** The path is relative to the page, so that the page works behind a proxy with a path prefix. */
const scriptPath = 'docs/scalar.js'

/**
 * The configuration turns off every feature of Scalar by which the page would talk to other
 * servers.
 */
const configuration = {
  url: 'openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/**
 * The script gives Scalar the absolute URL of the API, because the page shows commands to copy. A
 * visitor from the operations page, on another port of this host, gets a link back.
 */
const start = `const from = URL.canParse(document.referrer) ? new URL(document.referrer) : undefined
if (from?.hostname === location.hostname && from.port !== location.port) {
  const back = document.getElementById('back')
  back.firstElementChild.href = from.origin + '/'
  back.hidden = false
}
Scalar.createApiReference('#reference', {
  ...${JSON.stringify(configuration)},
  servers: [{ url: new URL('.', location.href).href.replace(/\\/$/, '') }],
})`

export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>bft-scan-proxy: API</title>
<style>#back { margin: 0; padding: 0.6rem 1rem; font: 0.9375rem system-ui, sans-serif } #back a { color: light-dark(#0f6b63, #5cc9b8) } :root { color-scheme: light dark }</style>
</head>
<body>
<noscript>This page needs scripts. For programs, the same is at <a href="openapi.json">openapi.json</a>.</noscript>
<p id="back" hidden><a href="./">Back to the page of this daemon</a></p>
<div id="reference"></div>
<script src="${scriptPath}"></script>
<script>${start}</script>
</body>
</html>
`

/**
 * The policy permits inline styles, because Scalar sets styles while it runs. It forbids scripts,
 * images and connections of other origins.
 */
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${sha256Base64(start)}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const referencePageHeaders: Headers = {
  'cache-control': 'no-cache',
  'content-security-policy': policy,
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

export const referenceScriptHeaders: Headers = {
  'cache-control': 'public, max-age=3600',
  'content-type': 'text/javascript; charset=utf-8',
  'x-content-type-options': 'nosniff',
}

/** A worker thread loads the module with the script, and compresses it: both take long. */
export async function loadReferenceScript(): Promise<Encoded> {
  const file = workerFile(import.meta.url, 'reference-script.scalar')
  const worker = new Worker(file, { name: 'reference script', env: {} })
  const [script] = await once(worker, 'message')
  return script
}
