import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { sha256Base64 } from '../lib/digest.ts'
import type { Encoded } from './encoded.ts'
import type { Headers } from './headers.ts'

/** The path of the script, relative to the page's own, so that the page works behind a proxy with a prefix. */
const scriptPath = 'docs/scalar.js'

/** Everything that the page could fetch from others, or send to others, is off. */
const configuration = {
  url: 'openapi.json',
  operationTitleSource: 'path',
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
}

/** The server of the description is relative, and the page shows commands to copy, which need a whole address. */
const start = `Scalar.createApiReference('#reference', {
  ...${JSON.stringify(configuration)},
  servers: [{ url: new URL('.', location.href).href.replace(/\\/$/, '') }],
})`

/** The page at `/docs`: the API, as Scalar's script shows it. */
export const referencePage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>bft-scan-proxy: API</title>
</head>
<body>
<noscript>This page needs scripts. For programs, the same is at <a href="openapi.json">openapi.json</a>.</noscript>
<div id="reference"></div>
<script src="${scriptPath}"></script>
<script>${start}</script>
</body>
</html>
`

/** Scalar sets styles while it runs, and so inline ones are permitted. Nothing of another origin is. */
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

/**
 * Reads Scalar's script and compresses it, in a thread that ends with that: the text of megabytes then stays nowhere in
 * memory.
 */
export async function loadReferenceScript(): Promise<Encoded> {
  const file = new URL(`./reference-script.scalar${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(file, { name: 'reference script', env: {} })
  // `once` rejects with the error of a worker that fails.
  const [script] = await once(worker, 'message')
  return script
}
