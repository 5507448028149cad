import type { KindWords } from '../words.ts';

export const trades = {
  plumber: {
    noun: 'Fontanería',
    name: 'Agua Clara',
    heads: ['¿Gotea? No por mucho tiempo.', 'El agua en su sitio. El calor a su hora.', 'Tuberías, bien hechas.'],
    leads: [
      'Reparaciones, baños y calefacción, por gente que se limpia los zapatos y explica la factura.',
      'Arreglamos lo que pierde, renovamos lo gastado y decimos con franqueza qué puede esperar.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'De qué nos ocupamos',
    offers: [
      ['Reparaciones', 'Grifo, tubo, desagüe: localizado, arreglado y recogido.'],
      ['Baños', 'De un lavabo nuevo a la habitación entera.'],
      ['Calefacción', 'Mantenimiento, reparación y consejo para después de la caldera.'],
      ['Fugas', 'Buscamos la causa antes de abrir la pared.'],
    ],
    about: [
      'Una buena reparación se olvida',
      'Primero miramos, luego decimos qué hace falta y después empezamos. Palabras claras y suelo limpio. Lo que puede esperar, espera.',
    ],
    action: 'Contar el problema',
    image: 'Dibujo de un grifo con una gota',
  },

  electrician: {
    noun: 'Electricista',
    name: 'El Lado Claro',
    heads: ['Con corriente. Con seguridad.', 'Una instalación en la que no hay que pensar.', 'Y se hizo el enchufe.'],
    leads: [
      'Instalación, reparación y revisión para viviendas y pequeños negocios, con orden también tras la pared.',
      'De un enchufe más a la casa entera: bien pensado, medido y etiquetado.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'Lo que conectamos',
    offers: [
      ['Instalación', 'Obra nueva, reformas y casas viejas con sorpresas.'],
      ['Averías', 'Cuando la luz parpadea o salta el diferencial.'],
      ['Iluminación', 'Luz donde lees, cocinas y llegas a casa.'],
      ['Recarga y solar', 'Listo para el coche y para el tejado.'],
    ],
    about: [
      'Orden detrás de la pared',
      'Tú ves el interruptor; a nosotros nos importa lo que hay detrás. Cada circuito lleva su etiqueta y cada cambio su nota. Quien venga después lo agradecerá.',
    ],
    action: 'Contar el trabajo',
    image: 'Dibujo de un rayo',
  },

  carpenter: {
    noun: 'Carpintería',
    name: 'Roble y Canto',
    heads: ['De madera. Para quedarse.', 'Muebles que encajan. Del todo.', 'Medir dos veces, cortar una, guardar siempre.'],
    leads: [
      'Mesas, cocinas, escaleras y estantes, hechos para un lugar y una persona: tú.',
      'Lo dibujamos contigo, elegimos la madera y lo construimos en el taller.',
    ],
    offersLabel: 'Trabajos',
    offersHead: 'Lo que construimos',
    offers: [
      ['Muebles', 'Mesas, camas y armarios que sobreviven a las mudanzas.'],
      ['Cocinas', 'Hechas a tu manera de cocinar, hasta el último cajón.'],
      ['Puertas y escaleras', 'Lo que se toca a diario debe sentirse bien.'],
      ['Restauración', 'Las buenas piezas merecen otra vida.'],
    ],
    about: [
      'La madera tiene memoria',
      'Se mueve, oscurece y cuenta cómo la han tratado. Trabajamos con ella, no contra ella. Una buena unión aguanta sin promesas.',
    ],
    action: 'Contar tu idea',
    image: 'Dibujo de una sierra y una tabla',
  },

  gardener: {
    noun: 'Jardinería',
    name: 'La Hora Verde',
    heads: ['Jardines que casi se cuidan solos.', 'Verde, todo el año.', 'Tu jardín te esperaba.'],
    leads: [
      'Diseñamos, plantamos y cuidamos jardines: para las abejas, los niños y las tardes largas al aire libre.',
      'Del balcón al huerto: plantas a gusto en su sitio y cuidados que duran.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'Lo que hacemos fuera',
    offers: [
      ['Diseño', 'Un plano que conoce el sol, el suelo y tus sábados.'],
      ['Plantación', 'La planta justa en su lugar, y casi sin malas hierbas.'],
      ['Cuidado', 'Podar, segar, abonar: en el momento justo.'],
      ['Terrazas y caminos', 'Piedra, madera y grava, puestas para quedar a nivel.'],
    ],
    about: [
      'Empezamos por el suelo',
      'Antes de plantar miramos la luz, el agua y la tierra. Lo que va con el lugar crece solo. El resto es un banco en el rincón adecuado.',
    ],
    action: 'Enseñar tu jardín',
    image: 'Dibujo de un brote',
  },

  garage: {
    noun: 'Taller mecánico',
    name: 'El Taller Honesto',
    heads: ['Escuchamos lo que dice tu coche.', 'Reparado. No solo cambiado.', 'De vuelta a la carretera.'],
    leads: [
      'Mantenimiento, reparación y diagnóstico de todas las marcas, con presupuesto antes del primer tornillo.',
      'Te enseñamos la pieza gastada, explicamos para qué sirve y decides tú.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'En el taller',
    offers: [
      ['Revisión', 'Aceite, filtros, frenos: trabajos pequeños que evitan grandes.'],
      ['Diagnóstico', 'Leemos los códigos de error, y luego pensamos.'],
      ['Neumáticos', 'Cambiados, equilibrados y guardados hasta la próxima temporada.'],
      ['ITV', 'Preparamos tu coche para que no haya sorpresas.'],
    ],
    about: [
      'Sin secretos bajo el capó',
      'Puedes mirar por encima de nuestro hombro. Decimos qué urge, qué puede esperar y qué es solo estética. Las piezas viejas quedan a la vista.',
    ],
    action: 'Pedir cita',
    image: 'Dibujo de un coche',
  },
} satisfies Record<string, KindWords>;
