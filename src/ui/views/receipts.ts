import { html } from 'hono/html'
import { assetPath } from '../assets.ts'
import type { Html } from './text.ts'

/**
 * Shows a link that downloads the receipt of an answer.
 * @param address relative to the page. Undefined if there is no receipt.
 */
export function receiptLink(address: string | undefined): Html {
  if (address === undefined) return html``
  return html`<p class="receipt-link"><a class="button quiet" href="${address}">Download receipt</a> <span class="minor">The answer with this daemon's signature, to show to others. <a href="#receipt">Check a receipt</a></span></p>`
}

/**
 * Shows where a visitor checks a receipt. The page's script makes it work, and until then it is hidden.
 * @param keys the public keys of this daemon.
 */
export function receiptSection(keys: readonly string[]): Html {
  return html`
    <section id="receipt" aria-labelledby="receipt-heading">
      <h2 id="receipt-heading">Check a receipt</h2>
      <p class="lead">A receipt is an answer that a daemon signed. Your browser checks it here: nothing is uploaded.</p>
      <p class="sentence">In a terminal, <code>bft-scan-proxy verify FILE --key KEY</code> does the same, without scripts.</p>
      <div class="card" id="receipt-zone" data-script="${assetPath('receipt.js')}" data-verifier="${assetPath('verifier.js')}" data-keys="${keys.join(' ')}" hidden>
        <div class="drop">
          <label for="receipt-file">Drop a .receipt.json file on this page, or choose one</label>
          <input id="receipt-file" type="file" accept=".json,application/json">
        </div>
        <div class="stacked">
          <div>
            <label for="receipt-key">The key that you trust, from its owner: an id or a JWK. This daemon's own keys are known</label>
            <input id="receipt-key" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="8192">
          </div>
          <div>
            <label for="receipt-asked">The name or party that you asked for. Without it, the receipt's own question counts</label>
            <input id="receipt-asked" autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="2066">
          </div>
        </div>
        <div id="receipt-verdict">
          <div id="receipt-says" role="status"></div>
          <div id="receipt-details"></div>
        </div>
      </div>
    </section>
  `
}
