import { serviceCaller } from '@webkiln/messages';
import { call } from '@webkiln/rpc';
import express, { type Request, type Response, type Router } from 'express';
import type { AddressQuota } from '../admission/quotas.ts';
import { invoiceFiles, invoicePage, pdfHeaders } from './invoice-page.ts';
import type { Logos } from './logos.ts';
import { brandingOf, type RenderedPage, sendErrorPage, sendPage } from './page.ts';

/** The provider of payments is asked meanwhile. */
const timeoutMs = 30_000;
/** An event has less than 256 KB. */
const maxEvent = '512kb';
const caller = (org_id = '') => serviceCaller('gateway', org_id, timeoutMs);

interface Parts {
  readonly logos: Logos;
  readonly countInvoice: AddressQuota;
  readonly countPaymentEvent: AddressQuota;
}

/** Routes of invoices, for whoever has their link, and of the messages that a payment provider sends. */
export function invoices({ logos, countInvoice, countPaymentEvent }: Parts): Router {
  const router = express.Router();
  router.get('/invoice/:token', (request, response) => sendPage(response, show(request)));
  router.get('/invoice/:token/pdf', (request, response) => sendPdf(request, response));
  router.get('/invoice/:token/pay', (request, response) => pay(request, response));
  router.post('/payments/stripe/events', express.raw({ type: () => true, limit: maxEvent }), receiveEvent);
  return router;

  async function invoiceOf(request: Request) {
    await countInvoice(request);
    const token = tokenOf(request);
    const { org_id } = await call('billing.OpenInvoice', { token }, caller());
    // An invoice is a document of the organization, so its language does not depend on who reads it.
    const { brand, language } = await brandingOf(org_id);
    return { brand, language, invoice: await call('billing.OpenInvoice', { token, language }, caller()) };
  }

  async function show(request: Request): Promise<RenderedPage> {
    if (request.query.returned !== undefined) {
      await countInvoice(request);
      await call('billing.ReturnToInvoice', { token: tokenOf(request) }, caller());
    }
    const { invoice, brand, language } = await invoiceOf(request);
    return { status: 200, html: invoicePage(invoice, language, brand, `/invoice/${tokenOf(request)}`) };
  }

  /** The page as PDF, with its style sheets and logo. */
  async function sendPdf(request: Request, response: Response): Promise<void> {
    try {
      const { invoice, brand, language } = await invoiceOf(request);
      const files = [...invoiceFiles(invoice, language, brand), ...(await logos.fileOf(brand, request))];
      const { pdf } = await call('documents.PrintPdf', { files }, caller(invoice.org_id));
      response.writeHead(200, [...pdfHeaders(invoice.number), 'Content-Length', String(pdf.byteLength)]);
      response.end(pdf);
    } catch (error) {
      sendErrorPage(response, error);
    }
  }

  /** Leads to the provider's page. A link, since browsers send no form from here to another origin. */
  async function pay(request: Request, response: Response): Promise<void> {
    try {
      await countInvoice(request);
      const { url } = await call('billing.PayInvoice', { token: tokenOf(request) }, caller());
      response.writeHead(303, ['Location', url, 'Cache-Control', 'no-store', 'Content-Length', '0']);
      response.end();
    } catch (error) {
      sendErrorPage(response, error);
    }
  }

  /** The signature is over the body as it was sent. Anything but 2xx is sent again. */
  async function receiveEvent(request: Request, response: Response): Promise<void> {
    await countPaymentEvent(request);
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await call('billing.ReceivePaymentEvent', { body, signature: request.get('stripe-signature') ?? '' }, caller());
    response.writeHead(204).end();
  }
}

const tokenOf = (request: Request): string => String(request.params.token);
