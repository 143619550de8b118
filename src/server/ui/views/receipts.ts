import { html } from 'hono/html'
import { assetPath } from '../assets.ts'
import type { OfferedReceipt, ReceiptKeys } from '../model.ts'
import { field, identifier } from './localnet.ts'
import { count, type Html } from './text.ts'

/** If the download fails, the page's script writes the reason into the empty paragraph. */
export function receiptLink(receipt: OfferedReceipt | undefined): Html {
  if (receipt === undefined) return html``
  const { address, lastsMs, isKeyKept } = receipt
  return html`
    <p class="actions receipt-link"><a class="button quiet" data-receipt href="${address}">Download receipt</a> <span class="minor">This daemon signed the answer, with the votes that decided it. The receipt is current for ${inWords(lastsMs)}, and proves later what was so then. ${!isKeyKept && html`${keyInMemory} `}<a href="receipts">Check a receipt</a></span></p>
    <p class="alert receipt-problem" role="status"></p>
  `
}

const keyInMemory = 'The key of this daemon is only in memory, and is lost when the daemon ends.'

function inWords(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  if (seconds > 0 && seconds % 3600 === 0) return count(seconds / 3600, 'hour')
  return seconds > 0 && seconds % 60 === 0 ? count(seconds / 60, 'minute') : count(seconds, 'second')
}

/** The form is hidden until the page's script has made it work. */
export function receiptSection({ known, areKept }: ReceiptKeys): Html {
  return html`
    <section id="receipt" aria-labelledby="receipt-heading">
      <h1 id="receipt-heading">Check a receipt</h1>
      <p class="lead">A receipt is an answer that a daemon signed. Your browser checks it here: nothing is uploaded.</p>
      <p class="sentence">In a terminal, <code>npx bft-scan-proxy verify FILE --key KEY</code> checks the same, by the clock of its machine: <code>--at TIME</code> gives it another. A receipt that you check here shows its KEY.${!areKept && html` ${keyInMemory}`}</p>
      <div class="card" id="receipt-zone" data-verifier="${assetPath('verifier.js')}" data-keys="${known.join(' ')}" hidden>
        <div class="drop">
          <label for="receipt-file">Drop a .receipt.json file on this page, or choose one</label>
          <input id="receipt-file" type="file" accept=".json,application/json">
        </div>
        <div class="stacked">
          ${field('receipt-key', "The key that you trust, from its owner: an id or a JWK. This daemon's own keys are known", html`<input id="receipt-key" ${identifier} maxlength="8192">`)}
          ${field('receipt-asked', "The name or party that you asked for. Without it, the receipt's own question counts", html`<input id="receipt-asked" ${identifier} maxlength="2066">`)}
        </div>
        <div id="receipt-verdict">
          <div id="receipt-says" role="status"></div>
          <div id="receipt-details"></div>
        </div>
      </div>
    </section>
  `
}
